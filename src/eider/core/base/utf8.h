// Checks whether bytes are valid UTF-8 (RFC 3629).
// Layering: must not change or convert text, except that a byte order mark and the end can be
// removed.
#pragma once

#include <cstddef>
#include <string_view>

namespace eider {

/// Returns the length of the UTF-8 sequence at the start of `text`, 1 to 4, or 0 if it is not valid
/// (RFC 3629, section 4). Pre: !text.empty().
[[nodiscard]] std::size_t utf8_sequence_bytes(std::string_view text) noexcept;

/// Returns whether `text` is valid UTF-8.
///
/// cost     ASCII is checked eight bytes at a time
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Returns at most `bytes_max` bytes of the start of `text`, without cutting a sequence.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept;

/// Returns `text` without a UTF-8 byte order mark at its start.
[[nodiscard]] constexpr std::string_view without_bom(std::string_view text) noexcept {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

/// Returns whether `text` starts with the byte order mark of UTF-16 or UTF-32.
[[nodiscard]] constexpr bool is_utf16(std::string_view text) noexcept {
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
}
/// A text for error messages about UTF-16 files.
inline constexpr std::string_view kSaveAsUtf8 = "the file is UTF-16 text: save it as UTF-8";

}  // namespace eider
