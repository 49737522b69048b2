// Finds SQL statements in C++ sources: the literals of calls like `one<Note>("…")`.
// Layering: must not parse C++ beyond comments, literals and the names of calls.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A statement where it stands. `line` counts from 1.
struct SqlLiteral {
  std::string sql;
  std::size_t line;
};

/// Texts by the names of their constants.
using SqlConstants = std::map<std::string, std::string, std::less<>>;

/// Constants that are one literal: `constexpr const char* kNotes = "…";`, `constexpr char kNotes[]
/// = "…";`. By their names alone, whatever namespace they are in.
[[nodiscard]] SqlConstants find_sql_constants(std::string_view source);

/// Those of one, all, exec, stream, row, rows and change, whose first argument is a literal, a
/// constant, or `sql(…)` of these. Not those in db::unchecked. A constant that is not known is
/// passed over: the compiler then reports that the statement is not in the lock file.
[[nodiscard]] std::vector<SqlLiteral> find_sql_literals(std::string_view source,
                                                        const SqlConstants& constants = {});

}  // namespace eider
