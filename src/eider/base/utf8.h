// Whether bytes are text: UTF-8 as RFC 3629 has it.
// Must not change or convert text.
#pragma once

#include <cstddef>
#include <string_view>

namespace eider {

/// The bytes of the UTF-8 sequence at the front of `text`, 1 … 4, or 0 when it is not valid there
/// (RFC 3629, section 4). Pre: !text.empty().
[[nodiscard]] std::size_t utf8_sequence_bytes(std::string_view text) noexcept;

/// cost     ASCII is passed over eight bytes at a time
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace eider
