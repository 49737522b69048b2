#include "eider/app/handlers/merge_patch.h"

#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/operation.h"

namespace eider::detail::app {

Result<json::Value> read_merge_patch(const Request& request) {
  const bool is_patch = expect_content_type(request, "application/merge-patch+json").has_value();
  if (!is_patch && !expect_content_type(request, "application/json")) {
    Error error(415, "The request body requires Content-Type: application/merge-patch+json.");
    error.with_header("Accept-Patch", "application/merge-patch+json");  // RFC 5789, section 2.2
    return fail(std::move(error));
  }
  return json::read<json::Value>(request.body());
}

void blame_nulls(Error& error, const json::Value& patch) {
  std::vector<FieldError> fields = error.fields();
  for (FieldError& field : fields) {
    const json::Value* const value =
        field.code == "missing" ? patch.find_at(field.pointer) : nullptr;
    if (value != nullptr && value->is_null()) {
      field.code = "null";
      field.detail = "cannot be null";
    }
  }
  if (!fields.empty()) {
    error = Error::invalid(std::move(fields)).with_status(error.status());
  }
}

void describe_merge_patch(Operation& operation) {
  for (const std::string_view type : {"application/merge-patch+json", "application/json"}) {
    operation.take_body(type, &reflect::type_of<json::Value>());
  }
  operation.add_problem(400, "The request body is not JSON.");
  operation.add_problem(415, "The Content-Type is not supported.");
  operation.add_problem(422, "The result of the patch is not valid.");
}

}  // namespace eider::detail::app
