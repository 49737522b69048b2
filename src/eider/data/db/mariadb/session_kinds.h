// What a statement is, by its text: one that only reads, or that may leave something behind.
// Must not be taken for a parser: what it does not find may be there nevertheless.
#pragma once

#include <string_view>

namespace eider::db::mariadb {

/// What the server does not tell by itself: locks by name, variables that a query sets, tables that
/// are locked, and what is set for the next transaction alone.
[[nodiscard]] bool may_change_session(std::string_view sql) noexcept;

/// A `select` that calls nothing but a few functions of the server: any other one may write.
[[nodiscard]] bool only_reads(std::string_view sql) noexcept;

/// It gives rows, and changes none by itself.
[[nodiscard]] bool is_select(std::string_view sql) noexcept;

/// Outside of a transaction all of it is one: a `call` or a block may hold several statements, each
/// of which stands once it is done.
[[nodiscard]] bool is_one_transaction(std::string_view sql) noexcept;

}  // namespace eider::db::mariadb
