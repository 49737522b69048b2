// The grammar of route patterns and their parameter names, at compile time or at run time.
// Layering: must not match paths (router.h does).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider {

//   pattern   = "/" segment *( "/" segment )       the last segment may be empty: "/", "/notes/"
//   segment   = literal / "{" name "}" / "{" name "...}"     the last form only at the end
//   literal   = 1*byte, as in a decoded path; not / { } % ? # * NUL or control,
//               not "." or "..", and not starting with ':', which marks parameters elsewhere
//   name      = ( letter / "_" ) *( letter / digit / "_" ), no two the same

enum class SegmentKind : std::uint8_t { literal, parameter, rest };

/// One segment of a pattern. text: the literal's bytes, or the parameter's name.
struct PatternSegment {
  SegmentKind kind = SegmentKind::literal;
  std::string_view text;
};

/// The error of a pattern, or `none`.
enum class PatternFault : std::uint8_t {
  none,
  no_slash,
  too_long,
  empty_segment,
  bad_brace,
  bad_name,
  bad_byte,
  colon_name,
  dot_segment,
  rest_not_last,
  doubled_name,
  too_many_parameters,
};

/// The maximum number of parameters of a pattern: the capacity of PathValues.
inline constexpr std::size_t kPatternParametersMax = 8;
inline constexpr std::size_t kPatternBytesMax = 1024;

/// Reads the segments of a pattern from the left.
class PatternReader {
 public:
  constexpr explicit PatternReader(std::string_view pattern) noexcept
      : rest_(pattern.substr(pattern.empty() ? 0 : 1)), has_more_(!pattern.empty()) {}

  [[nodiscard]] constexpr bool has_more() const noexcept { return has_more_; }
  /// Pre: has_more(). Braces that do not match make a literal, which `find_fault` rejects.
  constexpr PatternSegment next() noexcept;

 private:
  std::string_view rest_;
  bool has_more_;
};

/// The parameters of a pattern in order. The names are views of the pattern.
class PatternInfo {
 public:
  /// Pre: find_fault(pattern) == PatternFault::none; otherwise surplus parameters are omitted.
  constexpr explicit PatternInfo(std::string_view pattern) noexcept;

  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr std::string_view name(std::size_t index) const noexcept {
    return names_[index];
  }
  [[nodiscard]] constexpr bool has(std::string_view name) const noexcept;

 private:
  std::array<std::string_view, kPatternParametersMax> names_{};
  std::size_t count_ = 0;
};

/// Returns the first error of `pattern`, by the grammar above.
[[nodiscard]] constexpr PatternFault find_fault(std::string_view pattern) noexcept;

/// Returns a sentence that explains the error and how to fix it.
[[nodiscard]] constexpr const char* to_text(PatternFault fault) noexcept;

/// Returns the number of parameters. Pre: find_fault(pattern) == PatternFault::none.
[[nodiscard]] constexpr std::size_t count_parameters(std::string_view pattern) noexcept {
  return PatternInfo(pattern).size();
}

namespace route::detail {

constexpr bool is_name_begin(char byte) noexcept {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

constexpr bool is_parameter_name(std::string_view name) noexcept {
  for (const char byte : name) {
    if (!is_name_begin(byte) && (byte < '0' || byte > '9')) {
      return false;
    }
  }
  return !name.empty() && is_name_begin(name.front());
}

constexpr PatternFault find_literal_fault(std::string_view literal) noexcept {
  for (const char byte : literal) {
    if (byte == '{' || byte == '}') {
      return PatternFault::bad_brace;
    }
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value == 0x7F || std::string_view("%?#*").contains(byte)) {
      return PatternFault::bad_byte;
    }
  }
  if (literal.starts_with(':')) {
    return PatternFault::colon_name;
  }
  return literal == "." || literal == ".." ? PatternFault::dot_segment : PatternFault::none;
}

/// Returns the error of a single segment.
constexpr PatternFault find_segment_fault(PatternSegment segment, bool is_last) noexcept {
  if (segment.kind == SegmentKind::literal) {
    return segment.text.empty() && !is_last ? PatternFault::empty_segment
                                            : find_literal_fault(segment.text);
  }
  if (!is_parameter_name(segment.text)) {
    return PatternFault::bad_name;
  }
  return segment.kind == SegmentKind::rest && !is_last ? PatternFault::rest_not_last
                                                       : PatternFault::none;
}

constexpr PatternFault find_names_fault(std::string_view pattern) noexcept {
  std::size_t count = 0;
  std::array<std::string_view, kPatternParametersMax> names{};
  for (PatternReader reader(pattern); reader.has_more();) {
    const PatternSegment segment = reader.next();
    if (segment.kind == SegmentKind::literal) {
      continue;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (names[i] == segment.text) {
        return PatternFault::doubled_name;
      }
    }
    if (count == kPatternParametersMax) {
      return PatternFault::too_many_parameters;
    }
    names[count++] = segment.text;
  }
  return PatternFault::none;
}

}  // namespace route::detail

constexpr PatternSegment PatternReader::next() noexcept {
  const std::size_t slash = rest_.find('/');
  has_more_ = slash != std::string_view::npos;
  std::string_view text = rest_.substr(0, slash);
  rest_ = has_more_ ? rest_.substr(slash + 1) : std::string_view();
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') {
    return {SegmentKind::literal, text};
  }
  text = text.substr(1, text.size() - 2);
  if (!text.ends_with("...")) {
    return {SegmentKind::parameter, text};
  }
  text.remove_suffix(3);
  return {SegmentKind::rest, text};
}

constexpr PatternInfo::PatternInfo(std::string_view pattern) noexcept {
  for (PatternReader reader(pattern); reader.has_more() && count_ < kPatternParametersMax;) {
    const PatternSegment segment = reader.next();
    if (segment.kind != SegmentKind::literal) {
      names_[count_++] = segment.text;
    }
  }
}

constexpr bool PatternInfo::has(std::string_view name) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if (names_[i] == name) {
      return true;
    }
  }
  return false;
}

constexpr PatternFault find_fault(std::string_view pattern) noexcept {
  if (!pattern.starts_with('/')) {
    return PatternFault::no_slash;
  }
  if (pattern.size() > kPatternBytesMax) {
    return PatternFault::too_long;
  }
  for (PatternReader reader(pattern); reader.has_more();) {
    const PatternSegment segment = reader.next();
    const PatternFault fault = route::detail::find_segment_fault(segment, !reader.has_more());
    if (fault != PatternFault::none) {
      return fault;
    }
  }
  return route::detail::find_names_fault(pattern);
}

constexpr const char* to_text(PatternFault fault) noexcept {
  switch (fault) {
    case PatternFault::none:
      return "nothing is wrong";
    case PatternFault::no_slash:
      return "a pattern must start with '/'";
    case PatternFault::too_long:
      return "a pattern can have at most 1024 bytes";
    case PatternFault::empty_segment:
      return "a pattern must not have an empty segment between two slashes";
    case PatternFault::bad_brace:
      return "a path parameter must be a whole segment: /{name}/ or, at the end, /{name...}";
    case PatternFault::bad_name:
      return "the name of a path parameter can have letters, digits and '_', and must not start "
             "with a digit";
    case PatternFault::bad_byte:
      return "a pattern must not contain '%', '?', '#', '*' or control characters: write the path "
             "decoded";
    case PatternFault::colon_name:
      return "write a path parameter as {name}, not :name";
    case PatternFault::dot_segment:
      return "a pattern must not have a '.' or '..' segment";
    case PatternFault::rest_not_last:
      return "{name...} matches the rest of the path, so {name...} must be the last segment";
    case PatternFault::doubled_name:
      return "two path parameters have the same name";
    case PatternFault::too_many_parameters:
      return "a pattern can have at most 8 path parameters";
  }
  return "";
}

}  // namespace eider
