// Describes why a member cannot store a value, and reads durations as databases write them.
// Layering: must not put the value into a text, because it is logged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/core/reflect/type.h"
#include "eider/data/db/value.h"

namespace eider::db {

/// is   the problem: "is out of range for int (-2147483648 to 2147483647)"
/// fix  the solution
struct Misfit {
  std::string is;
  std::string fix;
};

/// Returns nothing if the value simply has another type.
///
/// object  of `type`; may be changed
[[nodiscard]] std::optional<Misfit> find_misfit(const reflect::Type& type, void* object,
                                                const Cell& cell);

/// A PostgreSQL interval in each of its styles, or a MariaDB time, as ISO 8601: "1 day 02:00:00"
/// becomes "PT93600S".
///
/// returns  nothing for a negative one, one with months or years, and any other text
[[nodiscard]] std::optional<std::string> iso_of_interval(std::string_view text);

}  // namespace eider::db
