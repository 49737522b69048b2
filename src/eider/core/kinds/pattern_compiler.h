// Compiles a pattern into tables by Glushkov's construction, at compile time or in tests.
// Layering: must not be included outside kinds/.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace eider::detail::kinds {

inline constexpr std::size_t kPlacesMax = 256;
inline constexpr std::size_t kCodeRangesMax = 1024;
inline constexpr char32_t kCodeMax = 0x10FFFF;

/// Both bounds are inclusive.
struct CodeRange {
  char32_t first;
  char32_t last;
};

/// A place matches a code point in one of its ranges, or, if negated, in none of them.
struct Place {
  std::uint16_t range_index = 0;
  std::uint16_t range_count = 0;
  bool is_negated = false;
};

struct PatternSizes {
  std::size_t places;
  std::size_t ranges;
};

/// The number of 64-bit words with a bit for each place.
constexpr std::size_t words_for(std::size_t places) noexcept {
  return (places + 63) / 64;
}

template <std::size_t Places, std::size_t Ranges>
struct PatternTable {
  std::array<Place, Places> places{};
  std::array<CodeRange, Ranges> ranges{};
  std::array<std::uint64_t, Places * words_for(Places)> follow{};
  std::array<std::uint64_t, words_for(Places)> first{};
  std::array<std::uint64_t, words_for(Places)> last{};
  bool takes_nothing = false;
};

/// A set of places.
struct Places {
  std::array<std::uint64_t, words_for(kPlacesMax)> words{};

  constexpr void add(std::size_t place) { words[place / 64] |= std::uint64_t{1} << place % 64; }
  constexpr void add(const Places& others) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] |= others.words[i];
    }
  }
};

/// Part of a pattern: the places where it may begin and end, and whether it matches the empty text.
struct Part {
  Places first{};
  Places last{};
  bool takes_nothing = true;
};

/// The same error at run time, for a pattern of which only the program can report it.
struct WrongPattern : std::invalid_argument {
  WrongPattern() : std::invalid_argument("the pattern is invalid or uses unsupported syntax") {}
};

// If a pattern is invalid, the compiler's message has the name of one of these functions, because
// they are not constexpr.
[[noreturn]] inline void the_pattern_has_an_unclosed_group() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_an_unclosed_character_class() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_a_range_in_reverse_order() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_an_unsupported_escape() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_a_quantifier_with_nothing_to_repeat() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_an_unsupported_quantifier() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_an_unmatched_bracket__escape_it_with_a_backslash() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_an_anchor__patterns_always_match_the_whole_text() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_a_lookaround_or_a_named_group() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_has_more_than_256_positions() {
  throw WrongPattern();
}
[[noreturn]] inline void the_pattern_is_not_utf8() {
  throw WrongPattern();
}

/// Each character of the pattern is a state (Glushkov automaton); there are no other states.
class PatternCompiler {
 public:
  constexpr explicit PatternCompiler(std::string_view pattern) : text_(pattern) {
    whole_ = alternatives();
    if (at_ != text_.size()) {
      the_pattern_has_an_unmatched_bracket__escape_it_with_a_backslash();
    }
  }

  [[nodiscard]] constexpr PatternSizes sizes() const { return {places_count_, ranges_count_}; }

  template <std::size_t PlacesCount, std::size_t RangesCount>
  [[nodiscard]] constexpr PatternTable<PlacesCount, RangesCount> table() const {
    constexpr std::size_t kWords = words_for(PlacesCount);
    PatternTable<PlacesCount, RangesCount> made;
    for (std::size_t i = 0; i < RangesCount; ++i) {
      made.ranges[i] = ranges_[i];
    }
    for (std::size_t i = 0; i < PlacesCount; ++i) {
      made.places[i] = places_[i];
      for (std::size_t word = 0; word < kWords; ++word) {
        made.follow[i * kWords + word] = follow_[i].words[word];
      }
    }
    for (std::size_t word = 0; word < kWords; ++word) {
      made.first[word] = whole_.first.words[word];
      made.last[word] = whole_.last.words[word];
    }
    made.takes_nothing = whole_.takes_nothing;
    return made;
  }

 private:
  struct Times {
    std::size_t min = 1;
    std::size_t max = 1;  // kNoEnd: any number
  };
  static constexpr std::size_t kNoEnd = ~std::size_t{0};

  [[nodiscard]] constexpr bool is_at_end() const { return at_ == text_.size(); }
  [[nodiscard]] constexpr char peek() const { return is_at_end() ? '\0' : text_[at_]; }
  constexpr bool take(std::string_view wanted) {
    const bool is_there = text_.substr(at_).starts_with(wanted);
    at_ += is_there ? wanted.size() : 0;
    return is_there;
  }

  constexpr Part alternatives() {
    Part all = sequence();
    while (take("|")) {
      const Part other = sequence();
      all.first.add(other.first);
      all.last.add(other.last);
      all.takes_nothing = all.takes_nothing || other.takes_nothing;
    }
    return all;
  }

  constexpr Part sequence() {
    Part all;
    while (!is_at_end() && peek() != '|' && peek() != ')') {
      all = joined(all, repeated());
    }
    return all;
  }

  constexpr Part joined(const Part& left, const Part& right) {
    link(left.last, right.first);
    Part both = left;
    if (left.takes_nothing) {
      both.first.add(right.first);
    }
    if (right.takes_nothing) {
      both.last.add(right.last);
    } else {
      both.last = right.last;
    }
    both.takes_nothing = left.takes_nothing && right.takes_nothing;
    return both;
  }

  constexpr void link(const Places& ends, const Places& beginnings) {
    for (std::size_t word = 0; word < ends.words.size(); ++word) {
      for (std::uint64_t left = ends.words[word]; left != 0; left &= left - 1) {
        follow_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))].add(beginnings);
      }
    }
  }

  /// An atom is parsed again for each repetition: x{2,4} is xx(x(x)?)?.
  constexpr Part repeated() {
    const std::size_t begin = at_;
    Part one = atom();
    const Times times = quantifier();
    const std::size_t end = at_;
    if (times.max == 0) {
      return Part();  // its places are unreachable
    }
    Part all = one;
    const bool may_be_missing = one.takes_nothing;
    const std::size_t copies = times.max != kNoEnd ? times.max : times.min == 0 ? 1 : times.min;
    for (std::size_t count = 2; count <= copies; ++count) {
      at_ = begin;
      const Part next = atom();
      link(one.last, next.first);
      if (may_be_missing) {
        link(all.last, next.first);
        all.first.add(next.first);
      }
      if (count <= times.min && !may_be_missing) {
        all.last = next.last;
      } else {
        all.last.add(next.last);
      }
      one = next;
    }
    if (times.max == kNoEnd) {
      link(one.last, one.first);
      if (may_be_missing) {
        link(all.last, all.first);
      }
    }
    all.takes_nothing = may_be_missing || times.min == 0;
    at_ = end;
    return all;
  }

  constexpr Times quantifier() {
    Times times;
    if (take("*")) {
      times = {0, kNoEnd};
    } else if (take("+")) {
      times = {1, kNoEnd};
    } else if (take("?")) {
      times = {0, 1};
    } else if (take("{")) {
      times = counted();
    } else {
      return times;
    }
    take("?");  // lazy quantifiers match the same texts, because the whole text must match
    if (peek() == '*' || peek() == '+' || peek() == '?' || peek() == '{') {
      the_pattern_has_a_quantifier_with_nothing_to_repeat();
    }
    return times;
  }

  /// Parses the rest after '{'.
  constexpr Times counted() {
    Times times;
    times.min = number();
    times.max = times.min;
    if (take(",")) {
      times.max = peek() == '}' ? kNoEnd : number();
    }
    if (!take("}") || times.max < times.min) {
      the_pattern_has_an_unsupported_quantifier();
    }
    return times;
  }

  constexpr std::size_t number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9' && value <= kPlacesMax) {
      value = value * 10 + static_cast<std::size_t>(peek() - '0');
      ++at_;
    }
    if (at_ == begin) {
      the_pattern_has_an_unsupported_quantifier();
    }
    if (value > kPlacesMax) {
      the_pattern_has_more_than_256_positions();
    }
    return value;
  }

  constexpr Part atom() {
    switch (peek()) {
      case '(':
        return group();
      case '[':
        return character_class();
      case '.':
        ++at_;
        return line_character();
      case '*':
      case '+':
      case '?':
        the_pattern_has_a_quantifier_with_nothing_to_repeat();
        break;
      case '{':
      case '}':
      case ']':
        the_pattern_has_an_unmatched_bracket__escape_it_with_a_backslash();
        break;
      case '^':
      case '$':
        the_pattern_has_an_anchor__patterns_always_match_the_whole_text();
        break;
      default:
        break;
    }
    begin_place();
    member();
    return end_place(false);
  }

  constexpr Part group() {
    take("(");
    if (!take("?:") && peek() == '?') {
      the_pattern_has_a_lookaround_or_a_named_group();
    }
    const Part inside = alternatives();
    if (!take(")")) {
      the_pattern_has_an_unclosed_group();
    }
    return inside;
  }

  constexpr Part character_class() {
    take("[");
    const bool is_negated = take("^");
    begin_place();
    is_in_class_ = true;
    while (!take("]")) {
      if (is_at_end()) {
        the_pattern_has_an_unclosed_character_class();
      }
      class_range();
    }
    is_in_class_ = false;
    return end_place(is_negated);
  }

  /// Parses "a", "\d" or "a-z".
  constexpr void class_range() {
    const std::size_t before = ranges_count_;
    member();
    const bool is_one =
        ranges_count_ == before + 1 && ranges_[before].first == ranges_[before].last;
    if (peek() != '-' || text_.substr(at_).starts_with("-]")) {
      return;
    }
    take("-");
    const char32_t first = ranges_[before].first;
    const std::size_t end = ranges_count_;
    member();
    if (!is_one || ranges_count_ != end + 1 || ranges_[end].first != ranges_[end].last ||
        ranges_[end].first < first) {
      the_pattern_has_a_range_in_reverse_order();
    }
    ranges_[before].last = ranges_[end].last;
    ranges_count_ = end;
  }

  /// Any character except line ends.
  constexpr Part line_character() {
    begin_place();
    add_range('\n', '\n');
    add_range('\r', '\r');
    add_range(0x2028, 0x2029);
    return end_place(true);
  }

  /// One character or escape.
  constexpr void member() {
    if (!take("\\")) {
      const char32_t code = code_point();
      add_range(code, code);
      return;
    }
    const char letter = peek();
    ++at_;
    if (letter == 'd' || letter == 'w' || letter == 's') {
      add_shorthand(letter);
    } else if (letter == 'D' || letter == 'W' || letter == 'S') {
      const std::size_t begin = ranges_count_;
      add_shorthand(static_cast<char>(letter | 0x20));
      invert(begin);
    } else {
      const char32_t code = escaped(letter);
      add_range(code, code);
    }
  }

  constexpr char32_t escaped(char letter) {
    constexpr std::string_view kThemselves = "^$\\.*+?()[]{}|/";
    constexpr std::string_view kLetters = "tnrvf";
    constexpr std::string_view kControls = "\t\n\r\v\f";
    if ((letter != '\0' && kThemselves.contains(letter)) || (letter == '-' && is_in_class_)) {
      return static_cast<char32_t>(letter);
    }
    if (letter != '\0' && kLetters.contains(letter)) {
      return static_cast<char32_t>(kControls[kLetters.find(letter)]);
    }
    if (letter != 'x' && letter != 'u') {
      the_pattern_has_an_unsupported_escape();
    }
    return hex_digits(letter == 'x' ? 2 : 4);
  }

  constexpr char32_t hex_digits(int count) {
    constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
    char32_t code = 0;
    for (; count != 0; --count) {
      const std::size_t digit = is_at_end() ? kDigits.npos : kDigits.find(peek());
      if (digit == kDigits.npos) {
        the_pattern_has_an_unsupported_escape();
      }
      code = code * 16 + static_cast<char32_t>(digit % 16);
      ++at_;
    }
    return code;
  }

  /// Decodes one code point of UTF-8.
  constexpr char32_t code_point() {
    const auto lead = static_cast<unsigned char>(peek());
    ++at_;
    const std::size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4 || text_.size() - at_ < more)) {
      the_pattern_is_not_utf8();
    }
    char32_t code = more == 0 ? lead : lead & (0x3FU >> more);
    for (std::size_t i = 0; i < more; ++i) {
      code = code << 6 | (static_cast<unsigned char>(text_[at_++]) & 0x3FU);
    }
    return code;
  }

  constexpr void add_range(char32_t first, char32_t last) {
    if (ranges_count_ == kCodeRangesMax) {
      the_pattern_has_more_than_256_positions();
    }
    ranges_[ranges_count_++] = {first, last};
  }

  /// ECMA-262, section 22.2.2. The ranges are in ascending order, as invert() needs them.
  constexpr void add_shorthand(char letter) {
    constexpr CodeRange kDigits[] = {{'0', '9'}};
    constexpr CodeRange kWords[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    constexpr CodeRange kBlanks[] = {
        {'\t', '\r'},     {' ', ' '},       {0xA0, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200A},
        {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
    const auto add = [this](const auto& ranges) {
      for (const CodeRange& range : ranges) {
        add_range(range.first, range.last);
      }
    };
    letter == 'd' ? add(kDigits) : letter == 'w' ? add(kWords) : add(kBlanks);
  }

  /// Replaces the ranges from `begin` on with the gaps between them.
  constexpr void invert(std::size_t begin) {
    char32_t next = 0;
    const std::size_t end = ranges_count_;
    for (std::size_t i = begin; i < end; ++i) {
      const CodeRange range = ranges_[i];
      ranges_[i] = {next, range.first - 1};  // no shorthand class starts at 0
      next = range.last + 1;
    }
    add_range(next, kCodeMax);
  }

  constexpr void begin_place() { place_begin_ = ranges_count_; }

  constexpr Part end_place(bool is_negated) {
    if (places_count_ == kPlacesMax) {
      the_pattern_has_more_than_256_positions();
    }
    const std::size_t place = places_count_++;
    const std::size_t count = ranges_count_ - place_begin_;
    const std::size_t begin = equal_ranges(count);
    places_[place] = {static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(count),
                      is_negated};
    ranges_count_ = begin == place_begin_ ? ranges_count_ : place_begin_;
    Part part;
    part.first.add(place);
    part.last.add(place);
    part.takes_nothing = false;
    return part;
  }

  /// Returns the index of earlier ranges that equal the last `count` ones, as for each repetition
  /// in x{20}, or else the index of the last ones.
  [[nodiscard]] constexpr std::size_t equal_ranges(std::size_t count) const {
    for (std::size_t place = 0; place + 1 < places_count_; ++place) {
      const std::size_t begin = places_[place].range_index;
      std::size_t same = places_[place].range_count == count ? 0 : count + 1;
      while (same < count && ranges_[begin + same].first == ranges_[place_begin_ + same].first &&
             ranges_[begin + same].last == ranges_[place_begin_ + same].last) {
        ++same;
      }
      if (same == count) {
        return begin;
      }
    }
    return place_begin_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::array<Place, kPlacesMax> places_{};
  std::array<Places, kPlacesMax> follow_{};
  std::array<CodeRange, kCodeRangesMax> ranges_{};
  std::size_t places_count_ = 0;
  std::size_t ranges_count_ = 0;
  std::size_t place_begin_ = 0;
  bool is_in_class_ = false;
  Part whole_;
};

}  // namespace eider::detail::kinds
