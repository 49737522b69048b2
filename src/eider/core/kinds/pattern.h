// Matches<"…">: regular expressions compiled with the program, matched in linear time.
// Layering: must not backtrack: the time must depend only on the length of the text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/fixed_string.h"
#include "eider/core/kinds/pattern_compiler.h"
#include "eider/core/reflect/rule.h"

namespace eider {

namespace detail::kinds {

/// Each place of a pattern is compared with one code point. `follow` has a row of
/// words_for(places.size()) words for each place, with a bit for each place that may come next.
struct PatternView {
  std::span<const Place> places;
  std::span<const CodeRange> ranges;
  std::span<const std::uint64_t> follow;
  std::span<const std::uint64_t> first;
  std::span<const std::uint64_t> last;
  bool takes_nothing;
};

/// A longer text does not match: at 8 to 25 ns per character, a body of megabytes would block the
/// event loop for a tenth of a second.
inline constexpr std::size_t kPatternTextBytesMax = std::size_t{64} << 10;

/// Returns whether all of `text` matches; text that is not UTF-8 or too long does not.
///
/// cost  a step for each code point and each possible position; no allocation
[[nodiscard]] bool matches(const PatternView& pattern, std::string_view text) noexcept;

[[nodiscard]] Requirement describe_pattern(std::string_view pattern, std::string_view wanted);

/// A pattern's tables, compiled into arrays of exactly the needed size.
template <FixedString Pattern>
struct CompiledPattern {
  static constexpr PatternSizes kSizes = PatternCompiler(Pattern.view()).sizes();
  static constexpr PatternTable<kSizes.places, kSizes.ranges> kTable =
      PatternCompiler(Pattern.view()).template table<kSizes.places, kSizes.ranges>();
  static constexpr PatternView kView = {kTable.places, kTable.ranges, kTable.follow,
                                        kTable.first,  kTable.last,   kTable.takes_nothing};
};

}  // namespace detail::kinds

/// Returns whether a text matches the `pattern` of a JSON Schema, which is compiled at each call:
/// for documents in tests and tools.
///
/// pattern  searched for, unless it is between ^ and $
/// returns  nothing for a pattern that Matches does not support
[[nodiscard]] std::optional<bool> matches_pattern(std::string_view pattern, std::string_view text);

/// A rule: all of a text matches the pattern, as with `^(?:…)$`.
///
///     struct NewUser { Validated<std::string, Matches<"[a-z][a-z0-9_]{2,30}">> name; };
///
/// Pattern  the common part of ECMA-262 (with its flag u) and JSON Schema: characters, `.`,
///          classes, \d \w \s and their opposites, \xHH, \uHHHH, groups, `|`, `* + ?`, {n,m}.
///          Other syntax (anchors, back references, lookaround) does not compile. At most 256
///          positions; {n} counts n times. Texts over 64 KiB do not match.
/// Wanted   the message for the client, instead of the pattern: "must be a name of small letters"
template <FixedString Pattern, FixedString Wanted = "">
struct Matches {
  static bool check(std::string_view text) noexcept {
    return detail::kinds::matches(detail::kinds::CompiledPattern<Pattern>::kView, text);
  }
  static Requirement describe() {
    return detail::kinds::describe_pattern(Pattern.view(), Wanted.view());
  }
};

}  // namespace eider
