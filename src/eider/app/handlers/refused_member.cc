#include "eider/app/handlers/refused_member.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/path.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider::detail::app {

namespace {

/// Whether `text` is the value. A NUL may also be part of a longer text, such as the pattern that a
/// search text became.
bool is_it(std::string_view text, const RefusedValue& value) noexcept {
  return text == value.text || (text.contains('\0') && value.text.contains('\0'));
}

/// The name between the braces of the parameter with that index in "/books/{id}/pages/{page}".
std::string_view name_in_route(std::string_view route, std::size_t index) noexcept {
  for (std::size_t at = route.find('{'); at != std::string_view::npos; at = route.find('{')) {
    route.remove_prefix(at + 1);
    if (index-- == 0) {
      return route.substr(0, route.find_first_of(".}"));
    }
  }
  return {};
}

std::optional<std::string> find_in_path(const Request& request, const RefusedValue& value) {
  const PathValues& values = request.path_values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = name_in_route(request.route(), i);
    if (!name.empty() && is_it(values[i], value)) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_pairs(std::string_view pairs, const RefusedValue& value) {
  QueryReader reader(pairs);
  while (const auto pair = reader.next()) {
    const auto text = percent_decode(pair->value, Plus::space);
    if (text && is_it(*text, value)) {
      return percent_decode(pair->name, Plus::space);
    }
  }
  return std::nullopt;
}

bool holds(const json::Value& node, const RefusedValue& value) {
  switch (node.kind()) {
    case json::Value::Kind::kString:
      return is_it(node.text(), value);
    case json::Value::Kind::kSigned:
      return std::to_string(node.integer()) == value.text;
    case json::Value::Kind::kUnsigned:
      return std::to_string(node.unsigned_integer()) == value.text;
    default:
      return false;
  }
}

// The depth is bounded by the reader's limits.
std::optional<std::string> find_in_json(const json::Value& node, const json::detail::Path& path,
                                        const RefusedValue& value) {
  if (holds(node, value)) {
    return path.pointer();
  }
  std::optional<std::string> found;
  if (node.is_object()) {
    for (auto member = node.members().begin(); !found && member != node.members().end(); ++member) {
      found = find_in_json(member->value, path.member(member->name), value);
    }
  } else if (node.is_array()) {
    for (std::size_t i = 0; !found && i < node.size(); ++i) {
      found = find_in_json(node[i], path.element(i), value);
    }
  }
  return found;
}

std::optional<std::string> find_in_body(const Request& request, const RefusedValue& value) {
  const std::string_view type = request.header("Content-Type").value_or("");
  if (type.starts_with("application/x-www-form-urlencoded")) {
    return find_in_pairs(without_bom(request.body()), value);
  }
  const auto read = type.contains("json") ? json::read<json::Value>(request.body())
                                          : Result<json::Value>(json::Value());
  return read ? find_in_json(*read, json::detail::Path(), value) : std::nullopt;
}

}  // namespace

std::optional<RefusedMember> find_member(const Request& request, const RefusedValue& value) {
  auto found = find_in_path(request, value);
  if (!found) {
    found = find_in_pairs(request.query(), value);
  }
  const bool is_of_body = !found;
  if (!found) {
    found = find_in_body(request, value);
  }
  return found ? std::optional(RefusedMember{std::move(*found), is_of_body}) : std::nullopt;
}

}  // namespace eider::detail::app
