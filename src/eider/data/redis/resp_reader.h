// Finds the end of a RESP response in a stream of bytes, and iterates over a complete one.
// Layering: must not store bytes; the caller owns them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/data/redis/resp.h"

namespace eider::redis::detail {

class RespReader {
 public:
  /// Whatever the limits say.
  static constexpr std::size_t kDepthMax = 128;

  explicit RespReader(const RespLimits& limits = {}) noexcept;

  /// Looks at what has come of one answer; goes on where the last call stopped.
  ///
  /// in       from the answer's first byte on; the bytes of earlier calls, and more
  /// returns  the bytes of the whole answer, behind which the next one is read; 0: not whole yet
  /// errors   it can be no answer, or is beyond a limit: nothing behind it can be understood
  /// cost     each byte is seen once, save a cut line's; no allocation
  [[nodiscard]] Result<std::size_t, RespFault> read(std::string_view in) noexcept;

  /// How much there has to be of an answer that is not whole, as far as that is known: a caller
  /// makes room for it at once.
  [[nodiscard]] std::size_t bytes_wanted() const noexcept { return bytes_wanted_; }

 private:
  [[nodiscard]] Result<void, RespFault> enter(const RespItem& item) noexcept;
  [[nodiscard]] Result<void, RespFault> check(const RespItem& item) const noexcept;
  void reset() noexcept;

  RespLimits limits_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  std::size_t bytes_wanted_ = 0;
  std::size_t depth_ = 0;
  std::array<std::uint64_t, kDepthMax + 1> left_{1};  // values to come, at each depth
};

/// A walk through an answer, item by item, each ahead of those that belong to it.
///
/// answer  a whole one, as RespReader has found it
class RespCursor {
 public:
  explicit RespCursor(std::string_view answer) noexcept : rest_(answer) {}

  /// The next item; attributes are passed over. Pre: there is one.
  [[nodiscard]] RespItem next() noexcept;
  /// The same without going on.
  [[nodiscard]] RespItem peek() const noexcept { return RespCursor(*this).next(); }
  /// Goes past the next value with all that belongs to it.
  void skip() noexcept { skip(1); }
  void skip(std::uint64_t values) noexcept;
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  [[nodiscard]] RespItem take() noexcept;

  std::string_view rest_;
};

}  // namespace eider::redis::detail
