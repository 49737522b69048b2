#include "eider/protocols/http/field_values.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/list.h"

namespace eider {

namespace {

/// Returns whether the list has a directive of that name, with or without an argument.
bool has_directive(std::string_view list, std::string_view name) noexcept {
  ListReader directives(list);
  while (const auto directive = directives.next()) {
    if (equals_ignoring_case(trim(directive->substr(0, directive->find('='))), name)) {
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
    if (has_directive(*value, item)) {
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
