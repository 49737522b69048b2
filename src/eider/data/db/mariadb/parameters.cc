#include "eider/data/db/mariadb/parameters.h"

#include <algorithm>
#include <cmath>

#include "eider/data/db/failure.h"

namespace eider::db::mariadb {
/// In strict mode, the server does not accept 'T' and 'Z'; its sessions use UTC.
std::string Parameters::as_datetime(std::string text) {
  std::ranges::replace(text, 'T', ' ');
  if (text.ends_with('Z')) {
    text.pop_back();
  }
  return text;
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
      const std::string& text =
          value.is_instant() ? texts_.emplace_back(as_datetime(*value.text())) : *value.text();
      point(MYSQL_TYPE_STRING, text.data(), text.size());
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
