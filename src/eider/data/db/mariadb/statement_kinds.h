// Classifies a statement by its text: read-only, or with an effect on its session.
// Layering: not a parser; the result may be too cautious.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider::db::mariadb {

/// Changes that the server does not report: locks by name, variables that a query sets, locked
/// tables, and settings for the next transaction alone.
[[nodiscard]] bool may_change_session(std::string_view sql) noexcept;

/// A `select` that calls only a few functions of the server: any other one may write.
[[nodiscard]] bool only_reads(std::string_view sql) noexcept;

/// It returns rows, and does not change any by itself.
[[nodiscard]] bool is_select(std::string_view sql) noexcept;

/// Outside of a transaction all of it is one: a `call` or a block may contain several statements,
/// each of which is committed by itself.
[[nodiscard]] bool is_one_transaction(std::string_view sql) noexcept;

/// A statement's $1, $2 … as the server writes them.
///
/// sql    with '?' instead of each $n outside of quotes and comments
/// order  for each '?', which value it is for, from 0
struct Translated {
  std::string sql;
  std::vector<std::size_t> order;
};
[[nodiscard]] Translated translate(std::string_view sql);

}  // namespace eider::db::mariadb
