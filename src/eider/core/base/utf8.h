// Whether bytes are text: UTF-8 as RFC 3629 has it.
// Must not change or convert text, except that a byte order mark can be removed.
#pragma once

#include <cstddef>
#include <string_view>

namespace eider {

/// The bytes of the UTF-8 sequence at the front of `text`, 1 … 4, or 0 when it is not valid there
/// (RFC 3629, section 4). Pre: !text.empty().
[[nodiscard]] std::size_t utf8_sequence_bytes(std::string_view text) noexcept;

/// cost     ASCII is passed over eight bytes at a time
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// `text` without the UTF-8 byte order mark that some editors write at the front of a file.
[[nodiscard]] constexpr std::string_view without_bom(std::string_view text) noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Whether `text` begins with the byte order mark of UTF-16 or UTF-32.
[[nodiscard]] constexpr bool is_utf16(std::string_view text) noexcept {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}
/// For error messages about such text.
inline constexpr std::string_view kSaveAsUtf8 = "the file is UTF-16 text: save it as UTF-8";

}  // namespace eider
