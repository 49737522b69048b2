// Invisible characters that terminals, file systems or compilers act on.
// Layering: must not decide how they are replaced: names, logs and generated sources do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider {

/// A character that is not displayed: its size in UTF-8 and its code point. `bytes` is 0 if the
/// character is displayed.
struct HiddenCharacter {
  std::size_t bytes;
  unsigned code_point;
};

/// Examines the character at the start of `text`. Hidden are control characters (C0, DEL, C1),
/// characters that change the direction of text (UAX 9) or end a line (U+2028, U+2029), zero width
/// and other format characters, and tags (U+E0000 to U+E007F). Text that differs from its
/// appearance can deceive a reviewer ("Trojan Source", CVE-2021-42574).
///
/// text  may be empty or invalid UTF-8; neither counts as hidden
[[nodiscard]] HiddenCharacter hidden_at(std::string_view text) noexcept;

/// Returns `text` with `mark` instead of each hidden character and each byte that is not valid
/// UTF-8.
[[nodiscard]] std::string with_hidden_replaced(std::string_view text, char mark);

}  // namespace eider
