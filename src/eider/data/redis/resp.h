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
  push,        // >2: nobody has asked for it
  attribute,   // |1: said ahead of a value, and passed over
};

enum class RespFault : std::uint8_t {
  bad_kind,    // no item begins so, or not at this place
  bad_number,  // a length or a number that is none
  bad_line,    // a line that does not end with CRLF, or a bulk of another length
  too_deep,
  too_many,   // values
  too_large,  // bytes
};

/// A sentence without a full stop.
[[nodiscard]] std::string_view text(RespFault fault) noexcept;

/// What is to come of one answer at most.
struct RespLimits {
  std::size_t bytes_max = std::size_t{64} * 1024 * 1024;
  std::size_t values_max = std::size_t{1} << 20;
  /// What each value counts for in addition to its bytes: in memory the shortest one takes a
  /// string.
  std::size_t value_bytes = 0;
  std::size_t depth_max = 128;
};

/// number  of an integer and a boolean its value; else how many values follow and belong to it
/// text    without marks and CRLF: of a bulk its bytes, of others the line
/// bytes   with marks and CRLF, without the values that follow
struct RespItem {
  RespKind kind = RespKind::null;
  std::int64_t number = 0;
  std::string_view text{};
  std::size_t bytes = 0;
  /// Of a bulk that is not whole yet: bytes that it will have.
  std::size_t bytes_wanted = 0;

  [[nodiscard]] bool is_aggregate() const noexcept { return kind >= RespKind::array; }
};

/// Reads the item at the front of `in`. An item whose `bytes` are 0 has not come as a whole.
///
/// cost    one look for the line's end, no allocation
/// source  "RESP protocol spec" of Redis; streamed strings and aggregates ("$?") are none of Redis'
[[nodiscard]] Result<RespItem, RespFault> read_item(std::string_view in) noexcept;

/// Longer lines are refused: what is long comes as a bulk.
inline constexpr std::size_t kRespLineBytesMax = std::size_t{1024} * 1024;

/// Finds the end of a RESP response in a stream of bytes, and iterates over a complete one.
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
