// Determines which columns of a statement can be null, from its tables, its text and its plan.
// Layering: must not report "never null" in doubt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

/// A column as described by its database.
///
/// table        table of the column; empty for an expression
/// is_not_null  the table declares it
struct DescribedColumn {
  std::string table;
  bool is_not_null;
};

/// The names in an SQLite database.
struct SchemaNames {
  std::vector<std::string> tables{};
  std::vector<std::string> views{};
};

/// Returns one value for each column, for SQLite.
///
/// plan  the database's query plan, in which "LEFT-JOIN" and the like are searched
[[nodiscard]] std::vector<bool> columns_that_may_be_null(
    std::string_view sql, std::string_view plan, const std::vector<DescribedColumn>& columns,
    const SchemaNames& schema);

/// Returns one value for each of `columns`, from the text alone: whether the item is `count(…)`,
/// `exists(…)`, a literal or `coalesce(…, literal)`.
[[nodiscard]] std::vector<bool> items_that_are_never_null(std::string_view sql,
                                                          std::size_t columns);

/// The database whose functions and operators an expression uses.
enum class ExpressionsOf : std::uint8_t { postgres, sqlite };

/// Returns a statement that selects only the columns in the item at that place, if the item
/// consists of columns, literals, and functions, operators and casts whose result is null only if
/// an operand is. Without a column, it selects "1". Returns an empty text if the item contains
/// anything else; for SQLite, if any item does, because an aggregate returns a row without rows.
///
///     select lower(title) from notes → select title from notes
[[nodiscard]] std::string select_of_operands(std::string_view sql, std::size_t place,
                                             ExpressionsOf of);

/// Returns "select id from notes" for "insert into notes … returning id", for databases that
/// describe columns only for queries. Empty if the statement returns nothing.
[[nodiscard]] std::string select_of_returning(std::string_view sql);

/// Returns whether the text contains one of the words (in lower case) anywhere, also in quotes.
[[nodiscard]] bool has_any_word(std::string_view sql,
                                std::initializer_list<std::string_view> words);

}  // namespace eider
