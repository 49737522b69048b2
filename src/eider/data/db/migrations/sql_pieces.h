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
/// line   of that word, from 1
/// words  its first ones, as they are written, without comments; empty where there are fewer; views
///        into `text`
struct SqlPiece {
  std::string_view text;
  std::size_t line = 1;
  std::array<std::string_view, 5> words{};
};

/// All that MariaDB runs, also the text of comments that begin with '!', without their ends.
[[nodiscard]] std::vector<detail::SqlToken> tokens_of_mariadb(std::string_view sql);

/// The statements between MariaDB's `begin not atomic` and `end`, nested ones too, and some parts
/// of statements; none of other pieces. Their lines are those of the script.
[[nodiscard]] std::vector<SqlPiece> statements_in_block(const SqlPiece& block);

/// Whether the statement begins or ends a transaction. `rollback to` a savepoint does not.
[[nodiscard]] bool controls_transaction(const SqlPiece& piece) noexcept;

/// Knows quotes, dollar quotes, comments, and what stands between `begin` and `end` in triggers,
/// functions and procedures. Pieces refer to `sql`.
[[nodiscard]] std::vector<SqlPiece> split_sql(std::string_view sql, Dialect dialect);

}  // namespace eider::db
