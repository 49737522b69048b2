#include "eider/kinds/pattern.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "eider/base/utf8.h"
#include "eider/json/write.h"

namespace eider::detail::kinds {

namespace {

using Words = std::array<std::uint64_t, words_for(kPlacesMax)>;

/// The code point at the front of `text`, which goes on behind it then.
std::optional<char32_t> take_code_point(std::string_view& text) noexcept {
  const std::size_t bytes = utf8_sequence_bytes(text);
  if (bytes == 0) {
    return std::nullopt;
  }
  const auto lead = static_cast<unsigned char>(text[0]);
  char32_t code = bytes == 1 ? lead : lead & (0x7FU >> bytes);
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

/// Calls visit(place) for each bit.
template <class Visit>
void each_place(std::span<const std::uint64_t> words, Visit visit) {
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (std::uint64_t left = words[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

/// Where a text may stand behind one more code point, of the places that it may come to.
bool step(const PatternView& pattern, std::span<std::uint64_t> may_come, char32_t code) noexcept {
  Words next{};
  bool is_any = false;
  each_place(may_come, [&](std::size_t place) {
    if (takes(pattern, place, code)) {
      next[place / 64] |= std::uint64_t{1} << place % 64;
      is_any = true;
    }
  });
  std::ranges::copy_n(next.begin(), static_cast<std::ptrdiff_t>(may_come.size()), may_come.begin());
  return is_any;
}

/// What may follow on any of those places.
Words followers(const PatternView& pattern, std::span<const std::uint64_t> live) noexcept {
  Words next{};
  const std::size_t words = live.size();
  each_place(live, [&](std::size_t place) {
    for (std::size_t word = 0; word < words; ++word) {
      next[word] |= pattern.follow[place * words + word];
    }
  });
  return next;
}

}  // namespace

bool matches(const PatternView& pattern, std::string_view text) noexcept {
  if (text.empty() || text.size() > kPatternTextBytesMax) {
    return text.empty() && pattern.takes_nothing;
  }
  const std::size_t words = pattern.first.size();
  Words state{};
  std::ranges::copy(pattern.first, state.begin());
  const std::span<std::uint64_t> live(state.data(), words);
  for (bool is_first = true; !text.empty(); is_first = false) {
    const auto code = take_code_point(text);
    if (!is_first) {
      state = followers(pattern, live);
    }
    if (!code || !step(pattern, live, *code)) {
      return false;
    }
  }
  for (std::size_t word = 0; word < words; ++word) {
    if ((live[word] & pattern.last[word]) != 0) {
      return true;
    }
  }
  return false;
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

/// Of such a pattern the anchors are those of one alternative.
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

/// Not that of an escaped '$': backslashes in front of it escape one another, too.
bool ends_with_anchor(std::string_view pattern) noexcept {
  if (!pattern.ends_with('$')) {
    return false;
  }
  pattern.remove_suffix(1);
  const std::size_t last = pattern.find_last_not_of('\\');
  return (pattern.size() - (last + 1)) % 2 == 0;  // npos + 1 is 0
}

/// As Matches takes it: "^a" is all of a text that goes on as it likes behind the a.
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
  } catch (const std::logic_error&) {  // it is wrong, or is cut off
    return std::nullopt;
  }
}

}  // namespace eider
