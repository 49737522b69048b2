#include "eider/data/db/failure.h"

#include <cstddef>

#include "eider/core/json/path.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider::db {
namespace {

constexpr int kUnprocessable = 422;

/// Returns the text for the client.
const char* detail_of(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::unique:
      return "An entry with the same value already exists.";
    case FailureKind::foreign_key:
      return "The data refers to an entry that does not exist, or is still referred to.";
    case FailureKind::not_null:
    case FailureKind::check:
      return "The stored data does not allow this change.";
    case FailureKind::busy:
    case FailureKind::expired:
    case FailureKind::deadlock:
    case FailureKind::serialization:
    case FailureKind::lost:
      return "The database is busy. Try again in a moment.";
    case FailureKind::open:
    case FailureKind::statement:
    case FailureKind::values:
    case FailureKind::row:
    case FailureKind::storage:
      break;
  }
  return "";
}

Error make_error(FailureKind kind, const std::string& cause) {
  const int status = status_of(kind);
  return status == 500 ? Error::internal(cause) : Error(status, detail_of(kind)).because(cause);
}

bool is_refused_value(const json::Value& node, const RefusedValue& value) {
  switch (node.kind()) {
    case json::Value::Kind::kString:
      return value.is_in(node.text());
    case json::Value::Kind::kSigned:
      return std::to_string(node.integer()) == value.text;
    case json::Value::Kind::kUnsigned:
      return std::to_string(node.unsigned_integer()) == value.text;
    default:
      return false;
  }
}

// The depth is bounded by the reader's limits.
std::optional<std::string> find_in_node(const json::Value& node, const json::detail::Path& path,
                                        const RefusedValue& value) {
  if (is_refused_value(node, value)) {
    return path.pointer();
  }
  std::optional<std::string> found;
  if (node.is_object()) {
    for (auto member = node.members().begin(); !found && member != node.members().end(); ++member) {
      found = find_in_node(member->value, path.member(member->name), value);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; !found && i < node.size(); ++i) {
      found = find_in_node(node[i], path.element(i), value);
    }
  }
  return found;
}

}  // namespace

int status_of(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::unique:
    case FailureKind::foreign_key:
    case FailureKind::not_null:
    case FailureKind::check:
      return 409;
    case FailureKind::busy:
    case FailureKind::expired:
    case FailureKind::deadlock:
    case FailureKind::serialization:
    case FailureKind::lost:
      return 503;
    case FailureKind::open:
    case FailureKind::statement:
    case FailureKind::values:
    case FailureKind::row:
    case FailureKind::storage:
      break;
  }
  return 500;
}

Failure::Failure(FailureKind kind, std::string cause, RefusedBy by)
    : eider::Failure(make_error(kind, cause)),
      kind_(kind),
      cause_(std::move(cause)),
      by_(std::move(by)) {}

Failure::Failure(const Failure& failure, Error answer)
    : eider::Failure(std::move(answer)),
      kind_(failure.kind_),
      cause_(failure.cause_),
      by_(failure.by_),
      refused_(failure.refused_) {}

Failure Failure::of_value(std::string cause, RefusedBy by, std::optional<RefusedValue> refused) {
  const std::string what = refused ? refused->detail : "is not accepted by the database";
  Error answer(kUnprocessable, "A value of the request " + what + ".");
  Failure failure(Failure(FailureKind::values, cause, std::move(by)),
                  std::move(answer).because(cause));
  if (refused) {
    failure.refused_ = std::make_shared<const RefusedValue>(std::move(*refused));
  }
  return failure;
}

std::optional<std::string> Failure::find_in_json(std::string_view text) const {
  const auto read = json::read<json::Value>(text);
  return read && refused_ != nullptr ? find_in_node(*read, json::detail::Path(), *refused_)
                                     : std::nullopt;
}

}  // namespace eider::db
