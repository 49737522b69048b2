// Classifies a statement by its text: read-only, or with an effect on its session.
// Layering: not a parser; the result may be too cautious.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider::db::mariadb {

/// Returns whether a statement may make changes that the server does not report: named locks,
/// variables that a query sets, locked tables, and settings for the next transaction only.
[[nodiscard]] bool may_change_session(std::string_view sql) noexcept;

/// A `select` that calls only a few functions of the server, because other functions may write.
[[nodiscard]] bool only_reads(std::string_view sql) noexcept;

/// It returns rows, and does not itself change any.
[[nodiscard]] bool is_select(std::string_view sql) noexcept;

/// Outside of a transaction, the whole statement is one: a `call` or a block may contain several
/// statements, which are committed separately.
[[nodiscard]] bool is_one_transaction(std::string_view sql) noexcept;

/// A statement with $1, $2 … converted to the server's syntax.
///
/// sql    with '?' instead of each $n outside of quotes and comments
/// order  for each '?', the index of its value, starting at 0
struct Translated {
  std::string sql;
  std::vector<std::size_t> order;
};
[[nodiscard]] Translated translate(std::string_view sql);

}  // namespace eider::db::mariadb
