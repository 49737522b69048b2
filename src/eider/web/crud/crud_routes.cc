#include "eider/web/crud/crud_routes.h"

#include <algorithm>

#include "eider/app/handlers/operation.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/status.h"

namespace eider::detail::crud {
namespace {

using reflect::Kind;

[[noreturn]] void refuse(std::string why) {
  throw Failure(Error::internal("CrudRoutes: " + std::move(why)));
}

void check_bounded(const reflect::Type& query, std::string_view name) {
  const reflect::Member* const member = query.structure().find(name);
  if (member == nullptr || member->type->kind != Kind::kConstrained) {
    refuse(std::string(query.name) + " needs a member " + std::string(name) +
           " with a bound: PageNumber page = 1; PageSize<100> per_page = 20;");
  }
}

void describe(Operation& operation) {
  constexpr int kPreconditionRequired = 428;
  for (Operation::Response& response : operation.responses) {
    if (response.status == 200 || response.status == 201) {
      response.add_header("ETag");
    }
  }
  if (operation.only_reads()) {
    return;
  }
  operation.add_problem(409, "The record already exists, or conflicts with another record.");
  operation.add_problem(503, "The server is overloaded. Try again later.");
  if (operation.method == Method::delete_) {
    std::erase_if(operation.responses, [](const Operation::Response& response) {
      return response.status == kPreconditionRequired;
    });
  }
}

}  // namespace

db::Failure explained(const db::Failure& failure, std::span<const db::Conflict> conflicts,
                      const reflect::Type& values) {
  const std::string& column = failure.by().column;
  if (failure.kind() != db::FailureKind::values || is_server_error(failure.error().status()) ||
      values.structure().find(column) == nullptr) {
    return db::explain(failure, conflicts);
  }
  return {
      failure,
      Error::invalid({{"/" + column, "is not accepted by the database"}}).because(failure.what())};
}

Hook described() {
  return {.name = "crud", .describe = describe};
}

void check_unsettable(const reflect::Type& values, std::string_view member) {
  if (!member.empty() && values.structure().find(member) != nullptr) {
    refuse(std::string(values.name) + " has the member " + std::string(member) +
           ", which clients must not set. Remove the member.");
  }
}

void check_resource(const db::detail::RecordSql& records, std::string_view key,
                    const reflect::Type& query, const reflect::Type& values) {
  if (records.version().empty()) {
    refuse(records.table() + " need a version column, an integer that changes with each update: " +
           "{.name = \"" + records.table() + "\", .version = \"version\"}");
  }
  if (records.key() != key) {
    refuse("the key of " + records.table() + " is " + records.key() + ", but must be " +
           std::string(key));
  }
  records.check_query(query);
  check_bounded(query, "per_page");
  if (query.structure().find("after") == nullptr) {
    check_bounded(query, "page");
  }
  for (const reflect::Member& member : values.structure()) {
    (void)records.member_of(member.name);
  }
  for (const std::string_view name : {records.key(), records.version(), records.deleted()}) {
    check_unsettable(values, name);
  }
}

std::string patched(const reflect::Type& record, const void* before, const reflect::Type& values,
                    const json::Value& patch) {
  auto whole = value_or_throw(json::read<json::Value>(json::to_text(record, before)));
  if (whole.is_object()) {
    std::erase_if(whole.members(), [&](const json::Field& field) {
      return values.structure().find(field.name) == nullptr;
    });
  }
  json::merge_patch(whole, patch);
  return json::to_text(whole);
}

std::string address_of(const Request& request, const std::string& key) {
  std::string path(request.path());
  path += path.ends_with('/') ? "" : "/";
  return path + percent_encode(key);
}

Error too_many_changes() {
  return Error::unavailable("Other requests keep changing this record. Try again.");
}

}  // namespace eider::detail::crud
