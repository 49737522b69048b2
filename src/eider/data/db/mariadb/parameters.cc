#include "eider/data/db/mariadb/parameters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "eider/core/base/text.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/misfits.h"

namespace eider::db::mariadb {
namespace {

/// Returns whether the server reads it as a decimal number; it would read another text of a custom
/// type as 0.
bool is_decimal(std::string_view text) noexcept {
  constexpr std::size_t kDigitsMax = 65;
  text.remove_prefix(text.starts_with('-') ? 1 : 0);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view("0") : text.substr(point + 1);
  return !whole.empty() && !fraction.empty() && text.size() <= kDigitsMax &&
         std::ranges::all_of(whole, is_digit) && std::ranges::all_of(fraction, is_digit);
}

/// In strict mode, the server does not accept 'T' and 'Z'; its sessions use UTC.
std::string as_datetime(std::string text) {
  std::ranges::replace(text, 'T', ' ');
  if (text.ends_with('Z')) {
    text.pop_back();
  }
  return text;
}

std::string with_two_digits(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

/// Converts "PT1H30M" to "01:30:00", which the server can store in a `time`. A duration that is too
/// long or too precise for that is not changed.
std::string as_time(const std::string& text) {
  constexpr std::int64_t kSecondsMax = 838 * 3600 + 59 * 60 + 59;
  constexpr std::size_t kFractionDigitsMax = 6;
  const std::size_t point = text.find('.');
  const bool is_too_precise =
      point != std::string::npos && text.size() - point - 2 > kFractionDigitsMax;
  // "PT5400.25S"
  const auto iso = is_too_precise ? std::nullopt : iso_of_interval(text);
  if (!iso) {
    return text;
  }
  const std::size_t digits_end = iso->find_first_of(".S");
  const auto seconds = parse_int64(std::string_view(*iso).substr(2, digits_end - 2));
  if (!seconds || *seconds > kSecondsMax) {
    return text;
  }
  return with_two_digits(*seconds / 3600)
      .append(":")
      .append(with_two_digits(*seconds / 60 % 60))
      .append(":")
      .append(with_two_digits(*seconds % 60))
      .append(iso->substr(digits_end, iso->size() - digits_end - 1));
}

}  // namespace

std::string Parameters::server_text(const Value& value) {
  switch (value.text_kind()) {
    case Value::TextKind::instant:
      return as_datetime(*value.text());
    case Value::TextKind::duration:
      return as_time(*value.text());
    case Value::TextKind::decimal:
    case Value::TextKind::other:
      break;
  }
  return *value.text();
}

double Parameters::finite(double real) {
  if (!std::isfinite(real)) {  // it would become 0
    throw Failure::of_value("MariaDB cannot store infinity or NaN");
  }
  return real;
}

void Parameters::bind(MYSQL_STMT& statement, std::span<const Value> values,
                      std::span<const std::size_t> order, std::string_view sql) {
  binds_.clear();
  integers_.clear();
  reals_.clear();
  texts_.clear();
  for (const std::size_t index : order) {
    if (index >= values.size()) {
      throw Failure(FailureKind::values, "the statement has more parameters than values");
    }
    add(values[index]);
  }
  if (mysql_stmt_param_count(&statement) != order.size()) {
    throw Failure(FailureKind::statement,
                  "MariaDB found other parameters than $1, $2 …, in: " + std::string(sql));
  }
  if (!order.empty() && mysql_stmt_bind_param(&statement, binds_.data()) != 0) {
    throw Failure(FailureKind::values, "the values cannot be bound, in: " + std::string(sql));
  }
}

void Parameters::add(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      point(MYSQL_TYPE_NULL, nullptr, 0);
      break;
    case Value::Kind::integer:
      point(MYSQL_TYPE_LONGLONG, &integers_.emplace_back(*value.integer()), sizeof(long long));
      break;
    case Value::Kind::real:
      point(MYSQL_TYPE_DOUBLE, &reals_.emplace_back(finite(*value.real())), sizeof(double));
      break;
    case Value::Kind::text: {
      const Value::TextKind kind = value.text_kind();
      const bool is_converted =
          kind == Value::TextKind::instant || kind == Value::TextKind::duration;
      const std::string& text =
          is_converted ? texts_.emplace_back(server_text(value)) : *value.text();
      // The server computes with a text as with a double, and would lose digits.
      const bool is_number = kind == Value::TextKind::decimal && is_decimal(text);
      point(is_number ? MYSQL_TYPE_NEWDECIMAL : MYSQL_TYPE_STRING, text.data(), text.size());
      break;
    }
    case Value::Kind::blob:
      point(MYSQL_TYPE_BLOB, value.blob()->data(), value.blob()->size());
      break;
  }
}

void Parameters::point(enum_field_types type, const void* bytes, std::size_t size) {
  MYSQL_BIND bind{};
  bind.buffer_type = type;
  bind.buffer = const_cast<void*>(bytes == nullptr ? "" : bytes);
  bind.buffer_length = size;
  binds_.push_back(bind);  // without `length`, Connector/C uses buffer_length
}

}  // namespace eider::db::mariadb
