#include "eider/protocols/http/range.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "eider/core/base/text.h"
#include "eider/protocols/http/list.h"

namespace eider {

namespace {

constexpr std::string_view kUnit = "bytes";
/// The approximate head of a part: "--", a boundary of 32, Content-Type, Content-Range.
constexpr std::uint64_t kGapBytes = 128;
constexpr std::size_t kOverlapsMax = 2;
constexpr std::size_t kUnorderedMax = 8;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

/// 1*DIGIT; a number beyond 64 bits is after every end and counts as the largest one.
std::optional<std::uint64_t> read_position(std::string_view digits) noexcept {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return std::nullopt;
  }
  return parse_uint64(digits).value_or(kLargest);
}

/// One range-spec, resolved to positions. If `bytes` is 0 it is unsatisfiable.
using Spec = std::optional<ByteRange>;

/// suffix-range = "-" suffix-length
Spec read_suffix(std::string_view digits, std::uint64_t size) noexcept {
  const std::optional<std::uint64_t> length = read_position(digits);
  if (!length) {
    return std::nullopt;
  }
  const std::uint64_t bytes = std::min(*length, size);
  return ByteRange{size - bytes, bytes};
}

/// int-range = first-pos "-" [ last-pos ], where last-pos must not be less than first-pos
Spec read_spec(std::string_view text, std::uint64_t size) noexcept {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view behind = text.substr(dash + 1);
  if (dash == 0) {
    return read_suffix(behind, size);
  }
  const std::optional<std::uint64_t> first = read_position(text.substr(0, dash));
  // RFC 9110, 14.1.2: a last position less than the first makes the whole set invalid.
  const std::optional<std::uint64_t> last = behind.empty() ? kLargest : read_position(behind);
  if (!first || !last || *last < *first) {
    return std::nullopt;
  }
  if (*first >= size) {
    return ByteRange{};
  }
  return ByteRange{*first, std::min(*last, size - 1) - *first + 1};
}

struct RangeSet {
  ByteRanges ranges;
  bool is_valid = false;
};

/// range-set = 1#range-spec; empty elements are skipped (RFC 9110, section 5.6.1.2).
RangeSet read_set(std::string_view text, std::uint64_t size) noexcept {
  RangeSet set;
  std::size_t count = 0;
  ListReader elements(text);
  while (const auto element = elements.next()) {
    // If there are too many specs or an invalid one, the whole field is ignored, never part of it.
    const Spec spec = ++count > ByteRanges::kCountMax ? std::nullopt : read_spec(*element, size);
    if (!spec) {
      return {};
    }
    if (spec->bytes != 0) {
      set.ranges.push(*spec);
    }
  }
  set.is_valid = count != 0;
  return set;
}

bool begins_earlier(const ByteRange& one, const ByteRange& other) noexcept {
  return one.first < other.first;
}

bool is_out_of_order(const ByteRanges& ranges) noexcept {
  return ranges.size() > kUnorderedMax &&
         !std::is_sorted(ranges.view().begin(), ranges.view().end(), begins_earlier);
}

struct Merged {
  ByteRanges ranges;
  std::size_t overlaps = 0;
};

/// Returns whether the gap is so large that two parts are shorter. Pre: `range` does not start
/// earlier.
bool is_apart(const ByteRange& before, const ByteRange& range) noexcept {
  const std::uint64_t distance = range.first - before.first;
  return distance >= before.bytes && distance - before.bytes >= kGapBytes;
}

Merged merge(ByteRanges ranges) noexcept {
  std::sort(ranges.view().begin(), ranges.view().end(), begins_earlier);
  Merged merged;
  for (const ByteRange& range : ranges.view()) {
    ByteRange* before = merged.ranges.empty() ? nullptr : &merged.ranges.view().back();
    if (before == nullptr || is_apart(*before, range)) {
      merged.ranges.push(range);
      continue;
    }
    merged.overlaps += range.first <= before->last() ? 1 : 0;
    // Use the greater end, because a range may be within the one before.
    before->bytes = std::max(before->last(), range.last()) - before->first + 1;
  }
  return merged;
}

}  // namespace

// ranges-specifier = range-unit "=" range-set
RangeChoice choose_ranges(std::string_view field_value, std::uint64_t size) noexcept {
  const std::size_t equals = field_value.find('=');
  const bool is_bytes = equals != std::string_view::npos &&
                        equals_ignoring_case(field_value.substr(0, equals), kUnit);
  if (!is_bytes || size == 0) {
    return {};
  }
  const RangeSet set = read_set(field_value.substr(equals + 1), size);
  if (!set.is_valid || is_out_of_order(set.ranges)) {
    return {};
  }
  if (set.ranges.empty()) {
    return {.kind = RangeChoice::Kind::unsatisfiable};
  }
  // Ranges are merged in ascending order; if none were merged, they are sent in the requested
  // order.
  const Merged merged = merge(set.ranges);
  if (merged.overlaps > kOverlapsMax) {
    return {};
  }
  const bool is_as_asked = merged.ranges.size() == set.ranges.size();
  return {.kind = RangeChoice::Kind::partial, .ranges = is_as_asked ? set.ranges : merged.ranges};
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return std::string(kUnit) + " " + std::to_string(range.first) + "-" +
         std::to_string(range.last()) + "/" + std::to_string(size);
}

std::string unsatisfied_range(std::uint64_t size) {
  return std::string(kUnit) + " */" + std::to_string(size);
}

std::string RangeParts::head(const ByteRange& range, Place place) const {
  std::string text(place == Place::first ? "--" : "\r\n--");
  text.append(boundary_).append("\r\n");
  if (!content_type_.empty()) {
    text.append("Content-Type: ").append(content_type_).append("\r\n");
  }
  return text.append("Content-Range: ").append(content_range(range, size_)).append("\r\n\r\n");
}

std::string RangeParts::tail() const {
  return std::string("\r\n--").append(boundary_).append("--\r\n");
}

std::string RangeParts::content_type() const {
  return std::string("multipart/byteranges; boundary=").append(boundary_);
}

}  // namespace eider
