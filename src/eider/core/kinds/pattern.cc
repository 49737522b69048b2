#include "eider/core/kinds/pattern.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "eider/core/base/utf8.h"
#include "eider/core/json/write.h"

namespace eider::detail::kinds {

namespace {

/// A set of places. Most patterns have no more places than a 64-bit word has bits, so that the set
/// fits into a register.
template <std::size_t Words>
using PlaceSet = std::array<std::uint64_t, Words>;

/// Reads the code point at the start of `text`, and removes it from `text`.
std::optional<char32_t> take_code_point(std::string_view& text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80U) {
    text.remove_prefix(1);
    return lead;
  }
  const std::size_t bytes = utf8_sequence_bytes(text);
  if (bytes == 0) {
    return std::nullopt;
  }
  char32_t code = lead & (0x7FU >> bytes);
  for (const char byte : text.substr(1, bytes - 1)) {
    code = code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
  }
  text.remove_prefix(bytes);
  return code;
}

bool takes(const PatternView& pattern, std::size_t index, char32_t code) noexcept {
  const Place& place = pattern.places[index];
  const auto ranges = pattern.ranges.subspan(place.range_index, place.range_count);
  const bool is_within = std::ranges::any_of(
      ranges, [code](const CodeRange& range) { return code >= range.first && code <= range.last; });
  return is_within != place.is_negated;
}

template <std::size_t Words>
PlaceSet<Words> set_at(std::span<const std::uint64_t> words, std::size_t row = 0) noexcept {
  PlaceSet<Words> set;
  std::copy_n(words.data() + row * Words, Words, set.begin());
  return set;
}

/// Calls visit(place) for each place of the set.
template <std::size_t Words, class Visit>
void each_place(const PlaceSet<Words>& set, Visit visit) {
  for (std::size_t word = 0; word < Words; ++word) {
    for (std::uint64_t left = set[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

/// The places, of those that may come next, that match this code point.
template <std::size_t Words>
PlaceSet<Words> step(const PatternView& pattern, const PlaceSet<Words>& may_come,
                     char32_t code) noexcept {
  PlaceSet<Words> live{};
  each_place(may_come, [&](std::size_t place) {
    live[place / 64] |= std::uint64_t{takes(pattern, place, code)} << place % 64;
  });
  return live;
}

/// The places that may come after any of those places.
template <std::size_t Words>
PlaceSet<Words> followers(const PatternView& pattern, const PlaceSet<Words>& live) noexcept {
  PlaceSet<Words> next{};
  each_place(live, [&](std::size_t place) {
    const PlaceSet<Words> row = set_at<Words>(pattern.follow, place);
    for (std::size_t word = 0; word < Words; ++word) {
      next[word] |= row[word];
    }
  });
  return next;
}

template <std::size_t Words>
bool matches_by(const PatternView& pattern, std::string_view text) noexcept {
  auto may_come = set_at<Words>(pattern.first);
  PlaceSet<Words> live{};
  while (!text.empty()) {
    const auto code = take_code_point(text);
    live = code ? step(pattern, may_come, *code) : PlaceSet<Words>{};
    if (live == PlaceSet<Words>{}) {
      return false;
    }
    may_come = followers(pattern, live);
  }
  for (std::size_t word = 0; word < Words; ++word) {
    live[word] &= pattern.last[word];
  }
  return live != PlaceSet<Words>{};
}

}  // namespace

bool matches(const PatternView& pattern, std::string_view text) noexcept {
  if (text.empty() || text.size() > kPatternTextBytesMax) {
    return text.empty() && pattern.takes_nothing;
  }
  static_assert(words_for(kPlacesMax) == 4);
  switch (pattern.first.size()) {
    case 0:
      return false;  // the pattern has no places
    case 1:
      return matches_by<1>(pattern, text);
    case 2:
      return matches_by<2>(pattern, text);
    case 3:
      return matches_by<3>(pattern, text);
    default:
      return matches_by<4>(pattern, text);
  }
}

Requirement describe_pattern(std::string_view pattern, std::string_view wanted) {
  std::string anchored("^(?:");
  anchored.append(pattern).append(")$");
  return {"pattern",
          std::string(wanted.empty() ? "must match {pattern}" : wanted),
          {{"pattern", std::string(pattern)}},
          {{"pattern", json::to_text(anchored)}}};
}

}  // namespace eider::detail::kinds

namespace eider {

namespace {

/// The anchors of a pattern with alternatives belong to one alternative.
bool has_alternatives(std::string_view pattern) noexcept {
  int depth = 0;
  bool is_in_class = false;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char byte = pattern[at];
    at += byte == '\\' ? 1 : 0;
    is_in_class = is_in_class ? byte != ']' : byte == '[';
    depth += is_in_class ? 0 : static_cast<int>(byte == '(') - static_cast<int>(byte == ')');
    if (byte == '|' && depth == 0 && !is_in_class) {
      return true;
    }
  }
  return false;
}

/// Returns false for an escaped '$'. Backslashes before it may escape one another.
bool ends_with_anchor(std::string_view pattern) noexcept {
  if (!pattern.ends_with('$')) {
    return false;
  }
  pattern.remove_suffix(1);
  const std::size_t last = pattern.find_last_not_of('\\');
  return (pattern.size() - (last + 1)) % 2 == 0;  // npos + 1 is 0
}

/// Adds wildcards for missing anchors, because Matches compares the whole text: "^a" matches a text
/// that starts with "a".
std::string unanchored(std::string_view pattern) {
  constexpr std::string_view kAnything = R"([\s\S]*)";
  const bool is_one = !has_alternatives(pattern);
  const bool is_begun = is_one && pattern.starts_with('^');
  pattern.remove_prefix(is_begun ? 1 : 0);
  const bool is_ended = is_one && ends_with_anchor(pattern);
  pattern.remove_suffix(is_ended ? 1 : 0);
  std::string whole(is_begun ? std::string_view() : kAnything);
  whole.append("(?:").append(pattern).append(")");
  return whole.append(is_ended ? std::string_view() : kAnything);
}

}  // namespace

std::optional<bool> matches_pattern(std::string_view pattern, std::string_view text) {
  using namespace detail::kinds;
  try {
    const std::string whole = unanchored(pattern);
    const PatternCompiler compiler(whole);
    const PatternSizes sizes = compiler.sizes();
    const auto table = compiler.table<kPlacesMax, kCodeRangesMax>();
    return matches(PatternView{.places = std::span(table.places).first(sizes.places),
                               .ranges = std::span(table.ranges).first(sizes.ranges),
                               .follow = table.follow,
                               .first = table.first,
                               .last = table.last,
                               .takes_nothing = table.takes_nothing},
                   text);
  } catch (const std::logic_error&) {  // invalid or incomplete
    return std::nullopt;
  }
}

}  // namespace eider
