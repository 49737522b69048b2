#include "eider/coding/field_values.h"

#include <algorithm>

#include "eider/base/text.h"

namespace eider {

namespace {

/// Takes the front of `rest` up to `end`, and `end` itself.
std::string_view take_until(std::string_view& rest, std::string_view end) noexcept {
  const std::string_view front = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(rest.size(), front.size() + end.size()));
  return front;
}

bool lists(std::string_view value, std::string_view item) noexcept {
  while (!value.empty()) {
    std::string_view element = take_until(value, ",");
    if (equals_ignoring_case(trim(take_until(element, "=")), item)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::string_view> FieldValues::next() noexcept {
  while (!rest_.empty()) {
    std::string_view line = take_until(rest_, "\r\n");
    if (equals_ignoring_case(take_until(line, ":"), name_)) {
      return trim(line);
    }
  }
  return std::nullopt;
}

bool has_item(std::string_view field_lines, std::string_view name, std::string_view item) noexcept {
  FieldValues values(field_lines, name);
  while (const std::optional<std::string_view> value = values.next()) {
    if (lists(*value, item)) {
      return true;
    }
  }
  return false;
}

std::string joined_values(std::string_view field_lines, std::string_view name) {
  std::string joined;
  FieldValues values(field_lines, name);
  while (const std::optional<std::string_view> value = values.next()) {
    joined.append(joined.empty() || value->empty() ? "" : ", ").append(*value);
  }
  return joined;
}

}  // namespace eider
