// Byte ranges (RFC 9110, section 14): the parts that a Range header requests.
// Layering: must not decide whether the field applies: preconditions.h does.
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

  /// Returns the position of the last byte.
  [[nodiscard]] std::uint64_t last() const noexcept { return first + bytes - 1; }

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A small list of ranges without heap memory.
class ByteRanges {
 public:
  /// If a field lists more ranges, the response is the whole representation.
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
    whole,          ///< 200: ignore the field
    partial,        ///< 206: `ranges`, at least one
    unsatisfiable,  ///< 416
  };

  Kind kind = Kind::whole;
  ByteRanges ranges{};
};

/// Returns the ranges that a Range field requests of a representation of `size` bytes.
///
/// These fields are ignored: another unit than bytes, malformed ones, more than
/// ByteRanges::kCountMax ranges, more than two that overlap, more than eight out of order (section
/// 14.2 allows it, because these are signs of a broken client or an attack), and any range of an
/// empty representation. Unsatisfiable ranges are omitted if there are others. Ranges are merged if
/// they overlap, or if the gap is smaller than the head of a part (section 15.3.7.2); then all are
/// in ascending order, and otherwise in the requested order. So the ranges are disjoint, and a
/// response exceeds the whole only by the heads of its parts.
///
/// cost  one pass and a sort of at most 32; no allocation
[[nodiscard]] RangeChoice choose_ranges(std::string_view field_value, std::uint64_t size) noexcept;

/// Returns "bytes 0-499/1234": the value of Content-Range in a 206 or in one of its parts.
[[nodiscard]] std::string content_range(const ByteRange& range, std::uint64_t size);
/// Returns "bytes */1234": the value of Content-Range in a 416.
[[nodiscard]] std::string unsatisfied_range(std::uint64_t size);

/// The text before each range in multipart/byteranges (section 14.6), and after the last one.
///
/// boundary      must not occur in any part: random, with at least 128 bits
/// content_type  of the parts; may be empty
class RangeParts {
 public:
  RangeParts(std::string_view boundary, std::string_view content_type, std::uint64_t size)
      : boundary_(boundary), content_type_(content_type), size_(size) {}

  enum class Place : std::uint8_t { first, later };
  [[nodiscard]] std::string head(const ByteRange& range, Place place) const;
  [[nodiscard]] std::string tail() const;
  /// Returns the Content-Type of the whole response.
  [[nodiscard]] std::string content_type() const;

 private:
  std::string_view boundary_;
  std::string_view content_type_;
  std::uint64_t size_;
};

}  // namespace eider
