#include "eider/app/handlers/refused_member.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"

namespace eider::detail::app {

namespace {

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
    if (!name.empty() && value.is_in(values[i])) {
      return std::string(name);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_pairs(std::string_view pairs, const RefusedValue& value) {
  QueryReader reader(pairs);
  while (const auto pair = reader.next()) {
    const auto text = percent_decode(pair->value, Plus::space);
    if (text && value.is_in(*text)) {
      return percent_decode(pair->name, Plus::space);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_in_body(const Request& request, const CausedByValue& caused) {
  const std::string_view type = request.header("Content-Type").value_or("");
  if (type.starts_with("application/x-www-form-urlencoded")) {
    return find_in_pairs(without_bom(request.body()), *caused.refused());
  }
  return type.contains("json") ? caused.find_in_json(request.body()) : std::nullopt;
}

}  // namespace

std::optional<RefusedMember> find_member(const Request& request, const CausedByValue& caused) {
  auto found = find_in_path(request, *caused.refused());
  if (!found) {
    found = find_in_pairs(request.query(), *caused.refused());
  }
  const bool is_of_body = !found;
  if (!found) {
    found = find_in_body(request, caused);
  }
  return found ? std::optional(RefusedMember{std::move(*found), is_of_body}) : std::nullopt;
}

}  // namespace eider::detail::app
