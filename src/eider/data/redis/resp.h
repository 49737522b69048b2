// Parses items of RESP3 and RESP2, the Redis protocol, from possibly incomplete bytes.
// Layering: must not wait, allocate or know commands.
#pragma once

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

}  // namespace eider::redis::detail
