// The SQL name of a struct member: reserved words of SQL are quoted, and words of C++ end in '_'.
// Layering: must not receive text from a client, except identifier_sql.
#pragma once

#include <string>
#include <string_view>

namespace eider::db::detail {

/// The name without quotes: order → order, class_ → class.
[[nodiscard]] std::string_view column_name(std::string_view member) noexcept;

/// The name in SQL: order → "order", class_ → class, title → title. The quotes mean the same in all
/// databases, because sessions of MariaDB have ANSI_QUOTES.
[[nodiscard]] std::string column_sql(std::string_view member);

/// The name in a list of results, renamed to the member: class as class_.
[[nodiscard]] std::string result_sql(std::string_view member);

/// The same for a table: shop.order → shop."order".
[[nodiscard]] std::string table_sql(std::string_view table);

/// A name that can be any text, exactly as it is, always in quotes.
[[nodiscard]] std::string identifier_sql(std::string_view name);

}  // namespace eider::db::detail
