// Trimmed text: without surrounding spaces, only visible characters.
// Layering: must not change the text between its ends.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/kinds/pattern.h"
#include "eider/core/reflect/text_kind.h"

namespace eider {

/// Text without the spaces, tabs and line breaks at both ends, including those of Unicode (no-break
/// and ideographic spaces, which come with pasted text). Rules check the trimmed text:
/// `Validated<Trimmed, HasLength<1, 80>>` does not accept text of spaces only.
class Trimmed {
 public:
  Trimmed() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is assigned like a string
  Trimmed(std::string_view text) : text_(without_blanks(text)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): it is read like a string
  operator const std::string&() const noexcept { return text_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is read like a string
  operator std::string_view() const noexcept { return text_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Trimmed& left, const Trimmed& right) = default;
  friend bool operator==(const Trimmed& left, std::string_view right) noexcept {
    return left.text_ == right;
  }

 private:
  static std::string_view without_blanks(std::string_view text) noexcept {
    for (const std::string_view* at = kBlanks.begin(); at != kBlanks.end();) {
      at = std::ranges::find_if(kBlanks, [text](auto blank) { return text.starts_with(blank); });
      text.remove_prefix(at == kBlanks.end() ? 0 : at->size());
    }
    for (const std::string_view* at = kBlanks.begin(); at != kBlanks.end();) {
      at = std::ranges::find_if(kBlanks, [text](auto blank) { return text.ends_with(blank); });
      text.remove_suffix(at == kBlanks.end() ? 0 : at->size());
    }
    return text;
  }

  /// White_Space of Unicode, and characters of zero width.
  static constexpr std::array<std::string_view, 28> kBlanks = {" ",
                                                               "\t",
                                                               "\n",
                                                               "\v",
                                                               "\f",
                                                               "\r",
                                                               "\xC2\x85",
                                                               "\xC2\xA0",
                                                               "\xE1\x9A\x80",
                                                               "\xE2\x80\x80",
                                                               "\xE2\x80\x81",
                                                               "\xE2\x80\x82",
                                                               "\xE2\x80\x83",
                                                               "\xE2\x80\x84",
                                                               "\xE2\x80\x85",
                                                               "\xE2\x80\x86",
                                                               "\xE2\x80\x87",
                                                               "\xE2\x80\x88",
                                                               "\xE2\x80\x89",
                                                               "\xE2\x80\x8A",
                                                               "\xE2\x80\xA8",
                                                               "\xE2\x80\xA9",
                                                               "\xE2\x80\xAF",
                                                               "\xE2\x81\x9F",
                                                               "\xE3\x80\x80",
                                                               "\xEF\xBB\xBF",
                                                               "\xE2\x80\x8B",
                                                               "\xE2\x81\xA0"};

  std::string text_;
};

template <>
struct TextFormat<Trimmed> {
  static std::optional<Trimmed> parse(std::string_view text) { return Trimmed(text); }
  static const std::string& format(const Trimmed& trimmed) noexcept { return trimmed.text(); }
  /// The same limit as for a text with a pattern. Use HasLength to limit the trimmed text.
  static constexpr TextSchema kSchema = {.requirement = "must be a string of at most 64 KiB",
                                         .format = "text",
                                         .bytes_max = detail::kinds::kPatternTextBytesMax};
};

/// Only visible characters and single spaces between them, for names that must be distinguishable:
/// an invisible character would let one name look like another. Apart from the ASCII space, no
/// character of Unicode's Default_Ignorable_Code_Point, Cc, Cf, Zs, Zl, Zp or Co is accepted.
/// Characters that look alike in different alphabets are accepted: "Ada" can be written with a
/// Cyrillic a.
using IsVisible = Matches<
    "( ?[^\\x00-\\x20\\x7F-\\xA0\\xAD\\u034F\\u0600-\\u0605\\u061C\\u06DD\\u070F\\u0890"
    "\\u0891\\u08E2\\u115F\\u1160\\u1680\\u17B4\\u17B5\\u180B-\\u180F\\u2000-\\u200F"
    "\\u2028-\\u202F\\u205F-\\u206F\\u2800\\u3000\\u3164\\uE000-\\uF8FF\\uFE00-\\uFE0F"
    "\\uFEFF\\uFFA0\\uFFF0-\\uFFFB"
    "\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A"
    "\U000E0000-\U000E0FFF\U000F0000-\U0010FFFF])+",
    "must consist of visible characters and single spaces">;

}  // namespace eider
