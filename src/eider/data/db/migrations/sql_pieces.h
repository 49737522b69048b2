// Splits a script into statements with their line numbers.
// Layering: must not validate SQL; an unclosed quote extends the last statement.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "eider/data/db/pool.h"
#include "eider/data/db/sql_lexer.h"

namespace eider::db {

/// text   from the statement's first word, without its semicolon
/// line   of that word, starting at 1
/// words  the first words as written, without comments; empty if there are fewer; views of `text`
struct SqlPiece {
  std::string_view text;
  std::size_t line = 1;
  std::array<std::string_view, 5> words{};
};

/// Returns all tokens that MariaDB runs, including comments that begin with '!', without their
/// ends.
[[nodiscard]] std::vector<detail::SqlToken> tokens_of_mariadb(std::string_view sql);

/// Returns the statements between MariaDB's `begin not atomic` and `end`, including nested ones,
/// and some parts of statements; empty for other pieces. Lines are those of the script.
[[nodiscard]] std::vector<SqlPiece> statements_in_block(const SqlPiece& block);

/// Returns whether the statement begins or ends a transaction. `rollback to` a savepoint does not.
[[nodiscard]] bool controls_transaction(const SqlPiece& piece) noexcept;

/// Supports quotes, dollar quotes, comments, and bodies between `begin` and `end` in triggers,
/// functions and procedures. Pieces refer to `sql`.
[[nodiscard]] std::vector<SqlPiece> split_sql(std::string_view sql, Dialect dialect);

}  // namespace eider::db
