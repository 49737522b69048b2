// The tables of a database: columns with their types, keys, defaults and simple check constraints.
// Layering: must not know C++ names or types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"

namespace eider::structs {

/// Limits that a check constraint sets. Empty members: no limit.
struct Limits {
  std::optional<std::int64_t> min{};
  std::optional<std::int64_t> max{};
};

/// type        in lower case, as the database reports it: "varchar(200)"; for a domain, its base
/// enum_type   the name of a PostgreSQL enum
/// labels      of an enum type, or the values of `check(name in ('a', 'b'))`
/// length      in characters, from the type or a check constraint
/// default_sql the default as SQL; empty: none
struct Column {
  std::string name;
  std::string type{};
  bool may_be_null = true;
  bool is_key = false;
  bool is_counted = false;    // the database assigns a number: identity, serial, auto_increment
  bool is_generated = false;  // generated always as (…)
  std::string default_sql{};
  std::string enum_type{};
  std::vector<std::string> labels{};
  Limits length{};
  Limits range{};
};

/// name    with its schema if the name alone is not found: "shop.notes"
/// schema  the schema in the name; empty without one
struct Table {
  std::string name;
  std::vector<Column> columns;
  std::string schema{};

  /// Without the schema.
  [[nodiscard]] std::string_view own_name() const noexcept {
    return std::string_view(name).substr(schema.empty() ? 0 : schema.size() + 1);
  }
};

/// Reads all tables, ordered by name; views and the tables of Eider are not included.
///
/// errors   the message of the database
[[nodiscard]] Result<std::vector<Table>, std::string> read_tables(const Database& database);

/// Adds the limits and labels of check constraints to their columns. Other constraints are ignored.
///
/// sql  one or more constraints `check (…)`, also within the text of a `create table`
void add_checks(std::string_view sql, db::Dialect dialect, Table& table);

/// Returns one line that describes a column, such as "integer, not null, 0 to 5". Two columns with
/// the same line have the same member.
[[nodiscard]] std::string description_of(const Column& column);

}  // namespace eider::structs
