// Byte ranges (RFC 9110, section 14): the parts that a Range header requests.
// Layering: must not decide whether the field applies at all: preconditions.h does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eider {

/// bytes  >= 1
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;

  /// The position of the last byte.
  [[nodiscard]] std::uint64_t last() const noexcept { return first + bytes - 1; }

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A few ranges in place.
class ByteRanges {
 public:
  /// A field that lists more is answered with the whole.
  static constexpr std::size_t kCountMax = 32;

  /// Pre: size() < kCountMax.
  void push(const ByteRange& range) noexcept { ranges_[count_++] = range; }
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::span<ByteRange> view() noexcept { return {ranges_.data(), count_}; }
  [[nodiscard]] std::span<const ByteRange> view() const noexcept {
    return {ranges_.data(), count_};
  }

 private:
  std::array<ByteRange, kCountMax> ranges_{};
  std::size_t count_ = 0;
};

struct RangeChoice {
  enum class Kind : std::uint8_t {
    whole,          ///< 200: the field is to be ignored
    partial,        ///< 206: `ranges`, at least one
    unsatisfiable,  ///< 416
  };

  Kind kind = Kind::whole;
  ByteRanges ranges{};
};

/// What a Range field asks for of a representation of `size` bytes.
///
/// Ignored are: another unit than bytes, what is malformed, more than ByteRanges::kCountMax ranges,
/// more than two that overlap, more than eight out of order (section 14.2 lets a server, since
/// these are signs of a broken client or an attack), and any range of an empty representation.
/// Unsatisfiable ranges beside others are left out. Ranges that overlap, or between which less lies
/// than a part's head takes, become one (section 15.3.7.2); then they are in ascending order, and
/// otherwise in the order asked for. So the ranges are disjoint: no response exceeds the whole by
/// more than the heads of its parts.
///
/// cost  one pass and a sort of at most 32; no allocation
[[nodiscard]] RangeChoice choose_ranges(std::string_view field_value, std::uint64_t size) noexcept;

/// "bytes 0-499/1234": the value of Content-Range in a 206 or in one of its parts.
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size);
/// "bytes */1234": the same in a 416.
[[nodiscard]] std::string unsatisfied_range(std::uint64_t size);

/// What stands before each range in multipart/byteranges (section 14.6), and behind the last one.
///
/// boundary      occurs in no part: made at random, of at least 128 bits
/// content_type  of the parts; may be empty
class RangeParts {
 public:
  RangeParts(std::string_view boundary, std::string_view content_type, std::uint64_t size)
      : boundary_(boundary), content_type_(content_type), size_(size) {}

  enum class Place : std::uint8_t { first, later };
  [[nodiscard]] std::string head(const ByteRange& range, Place place) const;
  [[nodiscard]] std::string tail() const;
  /// The value of Content-Type for all of it.
  [[nodiscard]] std::string content_type() const;

 private:
  std::string_view boundary_;
  std::string_view content_type_;
  std::uint64_t size_;
};

}  // namespace eider
