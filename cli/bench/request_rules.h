// Rules for requests of users, for all input formats.
// Layering: must not report errors; the reader knows the position.
#pragma once

#include <algorithm>
#include <string_view>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider::bench {

/// Returns whether the method is supported. CONNECT is not: it has another kind of target, and its
/// response does not end.
[[nodiscard]] inline bool is_method_to_ask(std::string_view text) noexcept {
  return is_token(text) && text != "CONNECT";
}

/// Returns whether the text is valid in the request line: "/notes?page=2", or "*".
[[nodiscard]] inline bool is_target(std::string_view text) noexcept {
  const auto is_visible = [](char byte) { return byte > ' ' && byte < 0x7F; };
  return (text.starts_with('/') || text == "*") && std::ranges::all_of(text, is_visible);
}

/// Returns whether the header is valid and does not frame the body; those headers follow from the
/// body.
///
/// source   RFC 9110, sections 5.1 and 5.5
[[nodiscard]] inline bool is_field_to_add(std::string_view name, std::string_view value) noexcept {
  return is_token(name) && is_field_value(trim(value)) &&
         !equals_ignoring_case(name, "content-length") &&
         !equals_ignoring_case(name, "transfer-encoding");
}

}  // namespace eider::bench
