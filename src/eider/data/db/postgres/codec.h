// Decodes values of the wire format into cells.
// Layering: must not wait, and must not trust lengths that the server sends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/connection.h"

namespace eider::db::postgres {

/// The number of a type in the server's catalog, which is constant for built-in types.
using Oid = unsigned;

enum class Format : std::uint8_t { text = 0, binary = 1 };

/// Buffers for cells that are not part of the received bytes.
struct CellRoom {
  std::string text{};
  CellList list{};  // for an array; its elements refer to:
  std::string unquoted{};
  std::vector<std::string> texts{};
};

/// Returns whether `read_cell` supports the binary form of a type.
[[nodiscard]] bool is_known_in_binary(Oid type) noexcept;

/// Reads one value of a row.
///
/// bytes    the value as received
/// room     must live as long as the cell
/// returns  bools and integers as an integer, floats as a real, bytea as a blob, all others as
///          text: numeric with all its digits, dates and times in ISO 8601, arrays in the server's
///          format, and also as a list of elements
/// errors   Failure(row)  the bytes are invalid, or an array has more than one dimension
[[nodiscard]] Cell read_cell(Oid type, Format format, std::string_view bytes, CellRoom& room);

}  // namespace eider::db::postgres
