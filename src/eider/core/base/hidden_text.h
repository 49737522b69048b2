// Invisible characters that terminals, file systems or compilers act on.
// Layering: must not decide how they are replaced: names, logs and generated sources do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider {

/// A character that is not shown: its size in UTF-8 and its code point. 0 bytes: it is shown.
struct HiddenCharacter {
  std::size_t bytes;
  unsigned code_point;
};

/// Looks at the character at the front of `text`: control characters (C0, DEL, C1), characters that
/// change the direction of text (UAX 9) or end a line (U+2028, U+2029), zero width and other
/// format characters, and tags (U+E0000 to U+E007F). Text that reads otherwise than it looks can
/// deceive whoever reviews it ("Trojan Source", CVE-2021-42574).
///
/// text  may be empty or not UTF-8: then it has nothing hidden at its front
[[nodiscard]] HiddenCharacter hidden_at(std::string_view text) noexcept;

/// Returns `text` with `mark` for each hidden character and each byte that is not UTF-8.
[[nodiscard]] std::string with_hidden_replaced(std::string_view text, char mark);

}  // namespace eider
