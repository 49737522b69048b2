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

/// A statement and its position. `line` counts from 1.
struct SqlLiteral {
  std::string sql;
  std::size_t line;
};

/// Constants by name.
using SqlConstants = std::map<std::string, std::string, std::less<>>;

/// Returns constants with a single literal: `constexpr const char* kNotes = "…";` or `constexpr
/// char kNotes[] = "…";`. Only their names count, not their namespaces.
[[nodiscard]] SqlConstants find_sql_constants(std::string_view source);

/// Returns the statements in calls of one, all, exec, stream, row, rows and change whose first
/// argument is a literal, a constant, or `sql(…)` of these; except calls in db::unchecked. Unknown
/// constants are skipped: then the compiler reports that the statement is not in the lock file.
[[nodiscard]] std::vector<SqlLiteral> find_sql_literals(std::string_view source,
                                                        const SqlConstants& constants = {});

}  // namespace eider
