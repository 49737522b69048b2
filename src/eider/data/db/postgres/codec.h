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

/// The number of a type in the server's catalogue, which never changes for those built in.
using Oid = unsigned;

enum class Format : std::uint8_t { text = 0, binary = 1 };

/// Where a cell stands that is none of the bytes that came.
struct CellRoom {
  std::string text{};
  CellList list{};  // of an array, and where its elements stand:
  std::string unquoted{};
  std::vector<std::string> texts{};
};

/// Whether `read_cell` understands the binary form of a type.
[[nodiscard]] bool is_known_in_binary(Oid type) noexcept;

/// Reads one value of a row.
///
/// bytes    as they came
/// room     must live as long as the cell
/// returns  bools and integers as an integer, floats as a real, bytea as a blob, all others as
///          text: numeric with all its digits, dates and times as ISO 8601 writes them, arrays as
///          the server does, with their elements beside it
/// errors   Failure(row)  bytes that are no such value, an array of more than one dimension
[[nodiscard]] Cell read_cell(Oid type, Format format, std::string_view bytes, CellRoom& room);

}  // namespace eider::db::postgres
