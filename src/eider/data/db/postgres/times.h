// Converts dates and times of the wire format to ISO 8601.
// Layering: must not know a clock.
#pragma once

#include <string>
#include <string_view>

#include "eider/data/db/postgres/codec.h"

namespace eider::db::postgres {

// Each puts its text together in `room`, which is empty and outlives the cell.
//
// errors   Failure(row)  bytes that are no such value

[[nodiscard]] Cell read_date(std::string_view bytes, std::string& room);
[[nodiscard]] Cell read_time(std::string_view bytes, std::string& room);
/// type  of a timestamp with or without time zone
[[nodiscard]] Cell read_timestamp(Oid type, std::string_view bytes, std::string& room);

/// "2026-11-22 18:05:00+00" as ISO 8601 writes it; what looks different stays as it is.
[[nodiscard]] Cell read_timestamp_text(Oid type, std::string_view text, std::string& room);

}  // namespace eider::db::postgres
