#include "cli/db/structs/cpp_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/openapi_client/names.h"
#include "eider/core/base/text.h"
#include "eider/core/kinds/decimal.h"

namespace eider::structs {
namespace {

constexpr const char* kMicroseconds = "std::chrono::microseconds";

CppType integer(std::string_view name) {
  return {std::string(name), TypeKind::integer};
}
CppType text() {
  return {"std::string", TypeKind::text};
}
CppType other(std::string name) {
  return {std::move(name), TypeKind::other};
}

/// Returns "numeric" for numeric(9,2).
std::string_view word_of(std::string_view type) {
  return trim(type.substr(0, type.find('(')));
}

/// A Decimal has at most 18 digits; PostgreSQL's numeric without a precision can have more.
CppType decimal(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos) {
    return text();
  }
  const std::string_view precision = type.substr(open + 1, type.find_first_of(",)") - open - 1);
  return parse_integer<int>(precision).value_or(99) <= 18 ? other("eider::Decimal") : text();
}

/// Returns the fractional digits of a second, as in timestamp(3); `digits` is the database's
/// default.
std::string ticks(std::string_view type, int digits) {
  const std::size_t open = type.find('(');
  if (open != std::string_view::npos && open + 1 < type.size() && is_digit(type[open + 1])) {
    digits = type[open + 1] - '0';
  }
  return digits == 0   ? "std::chrono::seconds"
         : digits <= 3 ? "std::chrono::milliseconds"
                       : kMicroseconds;
}

CppType instant(std::string_view type, int digits) {
  const std::string unit = ticks(type, digits);
  return other(unit == "std::chrono::seconds" ? "std::chrono::sys_seconds"
                                              : "std::chrono::sys_time<" + unit + ">");
}
CppType local(std::string_view type, int digits) {
  const std::string unit = ticks(type, digits);
  return other(unit == "std::chrono::seconds" ? "std::chrono::local_seconds"
                                              : "std::chrono::local_time<" + unit + ">");
}

CppType sqlite_type(const Column& column) {
  const std::string& type = column.type;
  const auto has = [&type](std::string_view part) { return type.contains(part); };
  if (has("bool")) {
    return {"bool", TypeKind::boolean};
  }
  if (has("json")) {
    return other("eider::json::Value");
  }
  if (has("uuid")) {
    return other("eider::Uuid");
  }
  if (type == "date") {
    return other("std::chrono::year_month_day");
  }
  if (type == "time") {
    return other("eider::TimeOfDay");
  }
  if (has("datetime") || has("timestamp")) {
    // SQLite's functions write neither "T" nor "Z", so their values are not instants.
    return column.default_sql.empty() ? other("std::chrono::sys_seconds") : text();
  }
  if (has("int")) {
    return integer("std::int64_t");
  }
  if (has("char") || has("clob") || has("text")) {
    return text();
  }
  if (has("blob") || type.empty()) {
    return type.empty() ? text() : other("eider::db::Blob");
  }
  return {"double", TypeKind::real};
}

CppType postgres_type(std::string_view type) {
  if (type.ends_with("[]")) {
    const CppType element = postgres_type(type.substr(0, type.size() - 2));
    return other("std::vector<" + element.name + ">");
  }
  const std::string_view word = word_of(type);
  if (word == "boolean") {
    return {"bool", TypeKind::boolean};
  }
  if (word == "smallint" || word == "integer" || word == "bigint") {
    return integer(word == "smallint"  ? "std::int16_t"
                   : word == "integer" ? "std::int32_t"
                                       : "std::int64_t");
  }
  if (word == "real" || word == "double precision") {
    return {word == "real" ? "float" : "double", TypeKind::real};
  }
  if (word == "numeric") {
    return decimal(type);
  }
  if (word == "bytea" || word == "uuid" || word == "date") {
    return other(word == "bytea"  ? "eider::db::Blob"
                 : word == "uuid" ? "eider::Uuid"
                                  : "std::chrono::year_month_day");
  }
  if (word == "json" || word == "jsonb") {
    return other("eider::json::Value");
  }
  if (type.starts_with("timestamp")) {
    return type.ends_with("with time zone") ? instant(type, 6) : local(type, 6);
  }
  return type.starts_with("time") && type.ends_with("without time zone") ? other("eider::TimeOfDay")
                                                                         : text();
}

CppType mariadb_type(std::string_view type) {
  const std::string_view word = word_of(type);
  const bool is_unsigned = type.contains("unsigned");
  if (type.starts_with("tinyint(1)")) {
    return {"bool", TypeKind::boolean};
  }
  if (word.starts_with("tinyint") || word.starts_with("smallint")) {
    return integer(is_unsigned ? "std::uint16_t" : "std::int16_t");
  }
  if (word.starts_with("mediumint") || word.starts_with("int")) {
    return integer(is_unsigned ? "std::uint32_t" : "std::int32_t");
  }
  if (word.starts_with("bigint") || word == "bit") {
    return integer(is_unsigned ? "std::uint64_t" : "std::int64_t");
  }
  if (word == "year") {
    return integer("std::int16_t");
  }
  if (word.starts_with("float") || word.starts_with("double")) {
    return {word.starts_with("float") ? "float" : "double", TypeKind::real};
  }
  if (word == "decimal") {
    return decimal(type);
  }
  if (word == "uuid" || word == "json") {
    return other(word == "uuid" ? "eider::Uuid" : "eider::json::Value");
  }
  if (word == "timestamp" || word == "datetime") {
    return word == "timestamp" ? instant(type, 0) : local(type, 0);
  }
  if (word == "date") {
    return other("std::chrono::year_month_day");
  }
  return type.contains("blob") || type.contains("binary") ? other("eider::db::Blob") : text();
}

/// Returns the range of an integer type, if a limit can be outside of it.
Limits values_of(std::string_view type) {
  const auto of = [](auto one) {
    using Number = decltype(one);
    return Limits{std::int64_t{std::numeric_limits<Number>::min()},
                  std::int64_t{std::numeric_limits<Number>::max()}};
  };
  return type == "std::int16_t"    ? of(std::int16_t{})
         : type == "std::uint16_t" ? of(std::uint16_t{})
         : type == "std::int32_t"  ? of(std::int32_t{})
         : type == "std::uint32_t" ? of(std::uint32_t{})
         : type == "std::uint64_t" ? Limits{.min = 0}
                                   : Limits{};
}

/// Returns numeric_limits if there is no limit, or if the type cannot represent it.
std::string bound(const std::optional<std::int64_t>& limit, const std::string& type,
                  std::string_view which) {
  const Limits values = values_of(type);
  const bool is_value = limit && *limit >= values.min.value_or(*limit) &&
                        *limit <= values.max.value_or(*limit) &&
                        *limit != std::numeric_limits<std::int64_t>::min();
  return is_value ? std::to_string(*limit)
                  : fmt::format("std::numeric_limits<{}>::{}()", type, which);
}

/// If no value satisfies the check, there is no rule.
bool is_possible(const Limits& limits) noexcept {
  return (limits.min || limits.max) && !(limits.min && limits.max && *limits.min > *limits.max);
}

bool is_within(std::int64_t value, const Limits& limits) noexcept {
  return !is_possible(limits) ||
         (value >= limits.min.value_or(value) && value <= limits.max.value_or(value));
}

/// The limits of a length must not be negative.
bool is_possible_length(const Limits& length) noexcept {
  return is_possible(length) && length.max.value_or(0) >= 0;
}

/// MariaDB writes b'101' for 5.
std::optional<std::int64_t> number_of(std::string_view literal) {
  if (!literal.starts_with("b'")) {
    return parse_integer<std::int64_t>(literal);
  }
  constexpr std::size_t kBitsMax = 62;
  const std::string_view bits = literal.substr(2, literal.size() - 3);
  std::int64_t number = 0;
  for (const char bit : bits) {
    number = number * 2 + (bit == '1' ? 1 : 0);
    if (bits.size() > kBitsMax || (bit != '0' && bit != '1')) {
      return std::nullopt;
    }
  }
  return number;
}

/// Returns the literal without leading zeros, which would make it octal. Empty if the value
/// violates the range, because a new row with it would be rejected.
std::string integer_literal(std::string_view literal, const Limits& range) {
  const auto number = number_of(literal);
  return number && *number != std::numeric_limits<std::int64_t>::min() && is_within(*number, range)
             ? std::to_string(*number)
             : "";
}

/// Returns an empty text if the literal violates the length.
std::string text_literal(std::string_view text, const Limits& length) {
  const auto characters = std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; });
  return !is_possible_length(length) || is_within(characters, length)
             ? openapi_client::cpp_literal(text)
             : "";
}

/// Returns the literal for types without rules.
std::string other_literal(std::string_view type, std::string_view literal) {
  if (type == "eider::Decimal" && Decimal::parse(literal)) {
    return fmt::format("eider::Decimal::parse({}).value()", openapi_client::cpp_literal(literal));
  }
  if (type == "eider::json::Value" && (literal == "{}" || literal == "[]")) {
    return literal == "{}" ? "eider::json::Value::Object{}" : "eider::json::Value::Array{}";
  }
  return type.starts_with("std::vector") && literal == "{}" ? "{}" : "";
}

/// Returns whether the rest is empty, or a cast such as "::character varying(9)[]".
bool is_cast(std::string_view rest) {
  return rest.empty() || (rest.starts_with("::") && std::ranges::all_of(rest, [](char byte) {
                            return is_letter(byte) || is_digit(byte) ||
                                   std::string_view(" _:,()[]\".").contains(byte);
                          }));
}

std::string_view without_brackets(std::string_view sql) {
  sql = trim(sql);
  while (sql.starts_with('(') && sql.ends_with(')')) {
    sql = trim(sql.substr(1, sql.size() - 2));
  }
  return sql;
}

bool is_number(std::string_view digits) {
  return parse_double(digits) && digits != "." && !digits.starts_with('.');
}

}  // namespace

CppType cpp_type_of(const Column& column, db::Dialect dialect) {
  switch (dialect) {
    case db::Dialect::sqlite:
      return sqlite_type(column);
    case db::Dialect::postgres:
      return column.enum_type.empty() ? postgres_type(column.type) : text();
    case db::Dialect::mariadb:
      return mariadb_type(column.type);
  }
  return text();
}

std::string with_rule(const CppType& type, const Column& column) {
  const Limits& range = column.range;
  const Limits& length = column.length;
  if (type.kind == TypeKind::integer && is_possible(range)) {
    return fmt::format("eider::Bounded<{}, {}, {}>", type.name, bound(range.min, type.name, "min"),
                       bound(range.max, type.name, "max"));
  }
  if (type.kind == TypeKind::text && is_possible_length(length)) {
    return fmt::format("eider::Sized<{}, {}, {}>", type.name,
                       std::max<std::int64_t>(length.min.value_or(0), 0),
                       bound(length.max, "std::size_t", "max"));
  }
  return type.name;
}

std::optional<std::string> text_default(std::string_view default_sql) {
  if (!default_sql.starts_with('\'')) {
    return std::nullopt;
  }
  std::string text;
  std::size_t at = 1;
  for (; at < default_sql.size(); ++at) {
    if (default_sql[at] == '\'' && default_sql.substr(at, 2) != "''") {
      break;
    }
    text += default_sql[at];
    at += default_sql[at] == '\'' ? 1 : 0;
  }
  const bool is_whole = at < default_sql.size() && is_cast(trim(default_sql.substr(at + 1)));
  return is_whole ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<std::string> literal_default(std::string_view default_sql) {
  std::string_view sql = without_brackets(default_sql);
  if (sql.starts_with('\'')) {
    return text_default(sql);
  }
  if (sql.size() > 2 && sql[1] == '\'' && is_letter(sql[0])) {  // b'1', x'00'
    return text_default(sql.substr(1)) ? std::optional(std::string(sql)) : std::nullopt;
  }
  const std::size_t cast = std::min(sql.find("::"), sql.size());
  if (!is_cast(sql.substr(cast))) {
    return std::nullopt;
  }
  sql = without_brackets(sql.substr(0, cast));
  sql.remove_prefix(sql.starts_with('+') ? 1 : 0);
  const bool is_literal =
      equals_ignoring_case(sql, "true") || equals_ignoring_case(sql, "false") || parse_double(sql);
  return is_literal ? std::optional(std::string(sql)) : std::nullopt;
}

std::string initializer_of(const CppType& type, const Column& column) {
  const auto literal = literal_default(column.default_sql);
  if (!literal) {
    return {};
  }
  std::string word = *literal;
  switch (type.kind) {
    case TypeKind::boolean:
      std::ranges::transform(word, word.begin(), to_lower);
      return word == "true" || word == "1" || word == "b'1'"    ? "true"
             : word == "false" || word == "0" || word == "b'0'" ? "false"
                                                                : "";
    case TypeKind::integer:
      return integer_literal(word, column.range);
    case TypeKind::real:
      return is_number(word) ? word + (word.find_first_of(".eE") == word.npos ? ".0" : "") +
                                   (type.name == "float" ? "F" : "")
                             : "";
    case TypeKind::text:
      return without_brackets(column.default_sql).starts_with('\'') || parse_double(word)
                 ? text_literal(word, column.length)
                 : "";
    case TypeKind::other:
      return other_literal(type.name, word);
  }
  return "";
}

std::string includes_of(std::string_view source) {
  struct Header {
    std::string_view name;
    std::string_view word;
  };
  // Ordered by name.
  constexpr Header kHeaders[] = {
      {"chrono", "std::chrono"},         {"cstddef", "std::size_t"},    {"cstdint", "int"},
      {"limits", "std::numeric_limits"}, {"optional", "std::optional"}, {"string", "std::string"},
      {"vector", "std::vector"}};
  std::string lines;
  for (const Header& header : kHeaders) {
    const bool is_needed = header.name == "cstdint"
                               ? source.contains("std::int") || source.contains("std::uint")
                               : source.contains(header.word);
    lines += is_needed ? fmt::format("#include <{}>\n", header.name) : "";
  }
  return lines;
}

}  // namespace eider::structs
