// Statements in C++ sources: the literals that calls like `one<Note>("…")` are given.
// Must not understand C++ beyond comments, literals and the names of calls.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A statement where it stands. `line` counts from 1.
struct SqlLiteral {
  std::string sql;
  std::size_t line;
};

/// Those of one, all, exec, stream, row, rows and change, whose first argument is a literal. Not
/// those that say db::unchecked.
[[nodiscard]] std::vector<SqlLiteral> find_sql_literals(std::string_view source);

}  // namespace eider
