// Untrusted JSON objects within limits, and their members by type.
// Layering: must not be used for trusted JSON; structs read that.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider::json {

/// Parses a JSON object without duplicate members; nothing for other values, and above the limits.
[[nodiscard]] inline std::optional<Value> read_object(std::string_view text, const Limits& limits) {
  auto value = read<Value>(text, limits);
  return value && value->is_object() ? std::optional(std::move(*value)) : std::nullopt;
}

/// Returns a view, which is valid as long as the object; nothing if the member is missing or not a
/// string.
[[nodiscard]] inline std::optional<std::string_view> text_member(const Value& object,
                                                                 std::string_view name) {
  const Value* member = object.find(name);
  return member != nullptr && member->is_string() ? std::optional<std::string_view>(member->text())
                                                  : std::nullopt;
}

/// Returns the decoded bytes of a member in base64url; nothing if it is missing or invalid.
[[nodiscard]] inline std::optional<std::string> bytes_member(const Value& object,
                                                             std::string_view name) {
  const auto text = text_member(object, name);
  return text ? from_base64url(*text) : std::nullopt;
}

}  // namespace eider::json
