// A number of bytes that is written with a unit, such as "64MiB".
// Layering: only for settings.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider {

/// A member of an options struct that is a size: `ByteSize upload_max{64 * ByteSize::kMiB};`
struct ByteSize {
  static constexpr std::uint64_t kKiB = 1024;
  static constexpr std::uint64_t kMiB = 1024 * kKiB;
  static constexpr std::uint64_t kGiB = 1024 * kMiB;
  static constexpr std::string_view kMetavar = "SIZE";

  std::uint64_t bytes = 0;

  /// Reads a whole number with one of the units B, KiB, MiB, GiB, TiB (of 1024), kB, MB, GB and TB
  /// (of 1000).
  ///
  /// errors  "must be a size, …": any other text, or more than 64 bits
  static Result<ByteSize, std::string> from_text(std::string_view text);
  /// Writes it in the largest unit of 1024 in which it is a whole number.
  [[nodiscard]] std::string to_text() const;

  friend auto operator<=>(const ByteSize&, const ByteSize&) = default;
};

}  // namespace eider
