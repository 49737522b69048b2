#include "eider/data/db/failure.h"

namespace eider::db {
namespace {

constexpr int kUnprocessable = 422;

/// What the client is told.
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

}  // namespace eider::db
