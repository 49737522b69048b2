// The bound value that a database has rejected, for an error that names the client's member.
// Layering: must not know any database's own errors.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "eider/core/base/refused_value.h"
#include "eider/data/db/value.h"

namespace eider::db {

/// Returns the value at `index`, or nothing if there is no such value.
[[nodiscard]] std::optional<RefusedValue> refused_at(std::span<const Value> values,
                                                     std::optional<std::size_t> index);

/// Returns the index of the value that a statement stores in a column, or of the only value that
/// was bound; nothing if it cannot be known.
///
/// sql     such as "insert into notes(title) values($1)" or "update notes set title = $1"
/// column  as the database names it; empty: not known
[[nodiscard]] std::optional<std::size_t> index_stored_in(std::string_view sql,
                                                         std::span<const Value> values,
                                                         std::string_view column);

}  // namespace eider::db
