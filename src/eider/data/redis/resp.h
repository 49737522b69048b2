// Parses items and whole responses of RESP3 and RESP2, the Redis protocol, from possibly incomplete
// bytes.
// Layering: must not wait, allocate, store bytes or know commands.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::redis::detail {

enum class RespKind : std::uint8_t {
  simple,      // +OK
  error,       // -ERR …, and !21 … of RESP3
  integer,     // :1
  bulk,        // $5, and =15 txt:… of RESP3, without its three letters
  null,        // _, and $-1 and *-1 of RESP2
  real,        // ,1.5
  boolean,     // #t
  big_number,  // (349…
  array,       // *2
  set,         // ~2
  map,         // %1: twice as many values follow
  push,        // >2: not the response to a command
  attribute,   // |1: precedes a value, and is ignored
};

enum class RespFault : std::uint8_t {
  bad_kind,    // no item starts with this byte, or not here
  bad_number,  // an invalid length or number
  bad_line,    // a line without CRLF at its end, or a bulk of another length
  too_deep,
  too_many,   // values
  too_large,  // bytes
};

/// Returns a sentence without a full stop.
[[nodiscard]] std::string_view text(RespFault fault) noexcept;

/// Limits of one response.
struct RespLimits {
  std::size_t bytes_max = std::size_t{64} * 1024 * 1024;
  std::size_t values_max = std::size_t{1} << 20;
  /// Added to the size of each value, because the shortest one still needs a string in memory.
  std::size_t value_bytes = 0;
  std::size_t depth_max = 128;
};

/// number  the value of an integer or boolean; otherwise the number of values that follow
/// text    without marks and CRLF: the bytes of a bulk; otherwise the line
/// bytes   including marks and CRLF, without the values that follow
struct RespItem {
  RespKind kind = RespKind::null;
  std::int64_t number = 0;
  std::string_view text{};
  std::size_t bytes = 0;
  /// Total bytes of an incomplete bulk.
  std::size_t bytes_wanted = 0;

  [[nodiscard]] bool is_aggregate() const noexcept { return kind >= RespKind::array; }
};

/// Reads the item at the front of `in`. `bytes` is 0 if the item is incomplete.
///
/// cost    one search for the end of the line, no allocation
/// source  "RESP protocol spec" of Redis; it does not use streamed strings and aggregates ("$?")
[[nodiscard]] Result<RespItem, RespFault> read_item(std::string_view in) noexcept;

/// Longer lines are rejected: long data is sent as a bulk.
inline constexpr std::size_t kRespLineBytesMax = std::size_t{1024} * 1024;

/// Finds the end of a RESP response in a stream of bytes, and iterates over a complete one.
class RespReader {
 public:
  /// An upper bound for RespLimits::depth_max.
  static constexpr std::size_t kDepthMax = 128;

  explicit RespReader(const RespLimits& limits = {}) noexcept;

  /// Examines the received bytes of one response; continues where the last call stopped.
  ///
  /// in       starts at the first byte of the response; the bytes of earlier calls, and more
  /// returns  the length of the response, after which the next one starts; 0: incomplete
  /// errors   not a response, or beyond a limit: the rest of the stream is unusable
  /// cost     each byte is read once, except in an incomplete line; no allocation
  [[nodiscard]] Result<std::size_t, RespFault> read(std::string_view in) noexcept;

  /// Returns the known minimum length of an incomplete response, for which a caller reserves
  /// memory.
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
  std::array<std::uint64_t, kDepthMax + 1> left_{1};  // missing values, for each depth
};

/// Iterates over the items of a response; each item precedes its elements.
///
/// answer  a complete response, as found by RespReader
class RespCursor {
 public:
  explicit RespCursor(std::string_view answer) noexcept : rest_(answer) {}

  /// Returns the next item, skipping attributes. Pre: there is one.
  [[nodiscard]] RespItem next() noexcept;
  /// The same without advancing.
  [[nodiscard]] RespItem peek() const noexcept { return RespCursor(*this).next(); }
  /// Skips the next value with all of its elements.
  void skip() noexcept { skip(1); }
  void skip(std::uint64_t values) noexcept;
  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }

 private:
  [[nodiscard]] RespItem take() noexcept;

  std::string_view rest_;
};

}  // namespace eider::redis::detail
