#include "eider/data/db/mariadb/bulk_rows.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/mariadb/parameters.h"

namespace eider::db::mariadb {

BulkRows::BulkRows(const reflect::Type& row) : row_(&row), columns_(row.structure().count) {}

void BulkRows::clear() noexcept {
  cut(0);
  bytes_ = 0;
}

/// Keeps the first `rows` complete rows.
void BulkRows::cut(std::size_t rows) noexcept {
  for (Column& column : columns_) {
    column.indicators.resize(std::min(column.indicators.size(), rows));
    column.integers.resize(std::min(column.integers.size(), rows));
    column.reals.resize(std::min(column.reals.size(), rows));
    column.ends.resize(std::min(column.ends.size(), rows));
    column.texts.resize(column.ends.empty() ? 0 : column.ends.back());
  }
  count_ = rows;
}

void BulkRows::add(const void* object) {
  try {
    std::size_t i = 0;
    for (const reflect::Member& member : row_->structure()) {
      add_value(columns_[i++], value_of(*member.type, member.in(object)));
    }
  } catch (...) {
    cut(count_);
    throw;
  }
  ++count_;
}

void BulkRows::add_value(Column& column, const Value& value) {
  const Value::Kind kind = value.kind();
  if (kind == Value::Kind::null) {
    add_null(column);
    return;
  }
  if (column.kind == Value::Kind::null) {  // all values before it are NULL
    column.kind = kind;
    const bool is_text = kind == Value::Kind::text || kind == Value::Kind::blob;
    column.integers.resize(kind == Value::Kind::integer ? column.indicators.size() : 0);
    column.reals.resize(kind == Value::Kind::real ? column.indicators.size() : 0);
    column.ends.resize(is_text ? column.indicators.size() : 0);
  }
  if (column.kind != kind) {
    throw Failure(FailureKind::values, "a column must have values of one type");
  }
  switch (kind) {
    case Value::Kind::null:
      return;
    case Value::Kind::integer:
      column.integers.push_back(*value.integer());
      bytes_ += sizeof(long long);
      break;
    case Value::Kind::real:
      column.reals.push_back(Parameters::finite(*value.real()));
      bytes_ += sizeof(double);
      break;
    case Value::Kind::text:
      add_text(column, Parameters::server_text(value));
      break;
    case Value::Kind::blob:
      add_text(column, {reinterpret_cast<const char*>(value.blob()->data()), value.blob()->size()});
      break;
  }
  column.indicators.push_back(STMT_INDICATOR_NONE);
}

void BulkRows::add_null(Column& column) {
  switch (column.kind) {
    case Value::Kind::null:
      break;
    case Value::Kind::integer:
      column.integers.push_back(0);
      break;
    case Value::Kind::real:
      column.reals.push_back(0);
      break;
    case Value::Kind::text:
    case Value::Kind::blob:
      column.ends.push_back(column.texts.size());
      break;
  }
  column.indicators.push_back(STMT_INDICATOR_NULL);
}

void BulkRows::add_text(Column& column, std::string_view text) {
  constexpr std::size_t kLengthBytes = 5;
  column.texts += text;
  column.ends.push_back(column.texts.size());
  bytes_ += text.size() + kLengthBytes;
}

MYSQL_BIND BulkRows::bind_of(Column& column) {
  MYSQL_BIND bind{};
  bind.u.indicator = column.indicators.data();
  switch (column.kind) {
    case Value::Kind::null:
      bind.buffer_type = MYSQL_TYPE_STRING;
      break;
    case Value::Kind::integer:
      bind.buffer_type = MYSQL_TYPE_LONGLONG;
      bind.buffer = column.integers.data();
      return bind;
    case Value::Kind::real:
      bind.buffer_type = MYSQL_TYPE_DOUBLE;
      bind.buffer = column.reals.data();
      return bind;
    case Value::Kind::text:
      bind.buffer_type = MYSQL_TYPE_STRING;
      break;
    case Value::Kind::blob:
      bind.buffer_type = MYSQL_TYPE_BLOB;
      break;
  }
  column.ends.resize(column.indicators.size());  // a column with only NULLs has none
  column.begins.clear();
  column.lengths.clear();
  std::size_t begin = 0;
  for (const std::size_t end : column.ends) {
    column.begins.push_back(column.texts.data() + begin);
    column.lengths.push_back(end - begin);
    begin = end;
  }
  bind.buffer = column.begins.data();
  bind.length = column.lengths.data();
  return bind;
}

void BulkRows::bind(const Wire& wire, MYSQL_STMT& statement, std::string_view sql) {
  if (!wire.takes_bulk()) {
    throw Failure(FailureKind::statement,
                  "this server does not support bulk inserts: MariaDB 10.2 or later is required");
  }
  if (mysql_stmt_param_count(&statement) != columns_.size()) {
    throw Failure(FailureKind::statement,
                  "MariaDB found other parameters than the columns, in: " + std::string(sql));
  }
  binds_.clear();
  for (Column& column : columns_) {
    binds_.push_back(bind_of(column));
  }
  const auto rows = static_cast<unsigned>(count_);
  mysql_stmt_attr_set(&statement, STMT_ATTR_ARRAY_SIZE, &rows);
  if (mysql_stmt_bind_param(&statement, binds_.data()) != 0) {
    throw Failure(FailureKind::values, "the values cannot be bound, in: " + std::string(sql));
  }
}

BulkBound::~BulkBound() {
  const unsigned none = 0;
  mysql_stmt_attr_set(&statement_, STMT_ATTR_ARRAY_SIZE, &none);
}

Task<> throw_for_row(Wire& wire, ServerError error, std::string_view sql) {
  std::string told;
  try {
    (void)co_await wire.query("get diagnostics condition 1 @eider_row = row_number");
    told = co_await wire.ask("select @eider_row");
  } catch (const Refused&) {
    told.clear();
  }
  const Failure failure = failure_of(error, sql);
  RefusedBy by = failure.by();
  by.line = parse_int64(told).value_or(0);
  if (failure.kind() == FailureKind::values) {
    throw Failure::of_value(failure.what(), std::move(by));
  }
  throw Failure(failure.kind(), failure.what(), std::move(by));
}

}  // namespace eider::db::mariadb
