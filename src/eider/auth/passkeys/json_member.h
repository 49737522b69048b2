// Untrusted JSON within limits, and its members by type.
// Layering: must not be used for trusted JSON; structs read that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/base64.h"
#include "eider/core/json/json.h"

namespace eider::detail::passkeys {

/// Parses a JSON object without duplicate members; nothing for other values, and above the limits.
[[nodiscard]] inline std::optional<json::Value> parse_object(std::string_view text,
                                                             std::size_t bytes_max) {
  constexpr std::size_t kDepthMax = 16;
  constexpr std::size_t kElementsMax = 512;
  auto value = json::read<json::Value>(text, {.bytes_max = bytes_max,
                                              .depth_max = kDepthMax,
                                              .elements_max = kElementsMax,
                                              .errors_max = 1});
  return value && value->is_object() ? std::optional(std::move(*value)) : std::nullopt;
}

/// Returns a view, which is valid as long as the object.
[[nodiscard]] inline std::optional<std::string_view> text_member(const json::Value& object,
                                                                 std::string_view name) {
  const json::Value* member = object.find(name);
  return member != nullptr && member->is_string() ? std::optional<std::string_view>(member->text())
                                                  : std::nullopt;
}

/// Returns the decoded bytes of a member in base64url; nothing if it is missing or invalid.
[[nodiscard]] inline std::optional<std::string> bytes_member(const json::Value& object,
                                                             std::string_view name) {
  const auto text = text_member(object, name);
  return text ? from_base64url(*text) : std::nullopt;
}

}  // namespace eider::detail::passkeys
