#include "eider/web/middleware/field_selection.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/url.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/protocols/http/list.h"

namespace eider::detail::middleware {

namespace {

using json::Value;

/// Maximum number of names in a selection.
constexpr std::size_t kNamesMax = 64;

/// The members that a client has selected, stored in its request.
struct SelectedFields {
  std::vector<std::string> names;
};

std::vector<std::string> names_of(const reflect::Type& type) {
  if (type.kind != reflect::Kind::kStruct) {
    throw std::invalid_argument("select_fields: the type is not a struct");
  }
  std::vector<std::string> names;
  for (std::size_t index = 0; index < type.structure().count; ++index) {
    names.emplace_back(type.structure().first[index].name);
  }
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::ranges::find(names, name) != names.end();
}

Error not_allowed(const FieldSelection& options) {
  std::string detail = "must be one of ";
  for (const std::string& name : options.allowed) {
    detail.append(&name == &options.allowed.front() ? "" : ", ").append(name);
  }
  return Error::bad_request("The query parameters are invalid.")
      .with_field({options.parameter, detail, "fields"});
}

/// The query split into the value of the parameter and the rest.
struct Taken {
  std::optional<std::string> value;
  std::string rest;
  bool is_twice = false;
};

Taken take_parameter(std::string_view query, std::string_view name) {
  Taken taken;
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    if (pair->name == name) {
      taken.is_twice = taken.value.has_value();
      taken.value = percent_decode(pair->value, Plus::space).value_or("");
    } else {
      taken.rest.append(taken.rest.empty() ? "" : "&")
          .append(pair->name)
          .append("=")
          .append(pair->value);
    }
  }
  return taken;
}

/// Returns nothing if a name is not allowed, or the list is empty.
std::optional<SelectedFields> selected(std::string_view value, const FieldSelection& options) {
  SelectedFields fields;
  ListReader names(value);
  while (const auto name = names.next()) {
    if (!has(options.allowed, *name) || fields.names.size() == kNamesMax) {
      return std::nullopt;
    }
    fields.names.emplace_back(*name);
  }
  return fields.names.empty() ? std::nullopt : std::optional(std::move(fields));
}

bool note(Request& request, Response& response, const FieldSelection& options) {
  Taken taken = take_parameter(request.query(), options.parameter);
  if (!taken.value) {
    return true;
  }
  auto fields = taken.is_twice ? std::nullopt : selected(*taken.value, options);
  if (!fields) {
    render_error(response, not_allowed(options));
    return false;
  }
  request.head().query = request.arena().copy(taken.rest);
  request.set(std::move(*fields));
  return true;
}

void reduce(Value& value, const std::vector<std::string>& names) {
  if (value.is_array()) {
    for (Value& element : value.elements()) {
      if (element.is_object()) {
        reduce(element, names);
      }
    }
  } else if (value.is_object()) {
    std::erase_if(value.members(),
                  [&names](const json::Field& member) { return !has(names, member.name); });
  }
}

void apply(const Request& request, Response& response, const FieldSelection& options) {
  const auto* const fields = request.find<SelectedFields>();
  if (fields == nullptr || response.status() < 200 || response.status() >= 300 ||
      response.content_type() != kApplicationJson || !is_in_memory(response)) {
    return;
  }
  auto whole = json::read<Value>(response.body());
  const Value* const found = whole ? whole->find_at(options.at) : nullptr;
  if (found == nullptr) {
    return;
  }
  reduce(const_cast<Value&>(*found), fields->names);  // `whole` is ours, so it may be modified
  response.set_body(json::to_text(*whole));
}

}  // namespace

Hook select_fields_of(const reflect::Type& type, FieldSelection options) {
  const std::vector<std::string> members = names_of(type);
  if (options.allowed.empty()) {
    options.allowed = members;
  }
  for (const std::string& name : options.allowed) {
    if (!has(members, name)) {
      throw std::invalid_argument("select_fields: unknown member " + name);
    }
  }
  const auto shared = std::make_shared<const FieldSelection>(std::move(options));
  return {.on_request = [shared](Request& request,
                                 Response& response) { return note(request, response, *shared); },
          .on_response = [shared](const Request& request,
                                  Response& response) { apply(request, response, *shared); },
          .name = "select_fields",
          .describe =
              [shared](Operation& operation) {
                operation.take_selection(shared->parameter, {shared->allowed, shared->at});
              }};
}

}  // namespace eider::detail::middleware
