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

/// A column as its database describes it.
///
/// table        that it comes from; empty for an expression
/// is_not_null  the table says so
struct DescribedColumn {
  std::string table;
  bool is_not_null;
};

/// What an SQLite database has.
struct SchemaNames {
  std::vector<std::string> tables{};
  std::vector<std::string> views{};
};

/// One value for each column, of SQLite.
///
/// plan  how the database runs it, as it tells: "LEFT-JOIN" is looked for
[[nodiscard]] std::vector<bool> columns_that_may_be_null(
    std::string_view sql, std::string_view plan, const std::vector<DescribedColumn>& columns,
    const SchemaNames& schema);

/// One value for each of `columns`, by the text alone: that it is `count(…)`, `exists(…)`, a
/// literal or `coalesce(…, literal)`.
[[nodiscard]] std::vector<bool> items_that_are_never_null(std::string_view sql,
                                                          std::size_t columns);

/// Whose functions and operators an expression is made of.
enum class ExpressionsOf : std::uint8_t { postgres, sqlite };

/// A statement that selects, instead of its items, the columns of the item at that place, if that
/// consists of columns, literals, and functions, operators and casts whose result is null only if
/// an operand is. ("1" instead of no column.) Empty if there is anything else in it; of SQLite, in
/// any item, as an aggregate makes a row of no rows.
///
///     select lower(title) from notes → select title from notes
[[nodiscard]] std::string select_of_operands(std::string_view sql, std::size_t place,
                                             ExpressionsOf of);

/// "select id from notes" of "insert into notes … returning id": for databases that tell columns
/// of what reads alone. Empty where nothing is returned.
[[nodiscard]] std::string select_of_returning(std::string_view sql);

/// Whether one of the words, in small letters, stands anywhere in it, also in quotes.
[[nodiscard]] bool has_any_word(std::string_view sql,
                                std::initializer_list<std::string_view> words);

}  // namespace eider
