#include "eider/data/db/mariadb/result_rows.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "eider/data/db/mariadb/mariadb_error.h"

namespace eider::db::mariadb {
namespace {

constexpr std::size_t kRoomMin = 64;
constexpr std::size_t kRoomKept = 65536;
constexpr unsigned kBinary = 63;  // the character set of binary data

}  // namespace

ResultRows::Kind ResultRows::kind_of(const MYSQL_FIELD& field) noexcept {
  switch (field.type) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
      return Kind::integer;
    case MYSQL_TYPE_FLOAT:
      return Kind::single;
    case MYSQL_TYPE_DOUBLE:
      return Kind::real;
    case MYSQL_TYPE_BIT:
      return Kind::bits;
    case MYSQL_TYPE_DATE:
      return Kind::date;
    case MYSQL_TYPE_TIMESTAMP:
      return Kind::instant;
    case MYSQL_TYPE_DATETIME:
      return Kind::local;
    case MYSQL_TYPE_TIME:
      return Kind::time;
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VAR_STRING:
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_GEOMETRY:
      return field.charsetnr == kBinary ? Kind::blob : Kind::text;
    default:
      return Kind::text;
  }
}

std::string_view ResultRows::name_of_kind(const MYSQL_FIELD& field) noexcept {
  MARIADB_CONST_STRING format{};
  if (mariadb_field_attr(&format, &field, MARIADB_FIELD_ATTR_FORMAT_NAME) == 0 &&
      std::string_view(format.str, format.length) == "json") {
    return "json";
  }
  if (field.type == MYSQL_TYPE_NULL) {
    return "unknown";
  }
  const Kind kind = kind_of(field);
  const bool is_integer = kind == Kind::integer || kind == Kind::bits;
  const bool is_real = kind == Kind::single || kind == Kind::real;
  return is_integer ? "integer" : is_real ? "real" : kind == Kind::blob ? "blob" : "text";
}

/// If a table has changed since the statement was prepared, Connector/C updates the types of the
/// columns and not their names. The server has sent those for this execution: they are valid until
/// the next one, and so they are used only if they differ.
const MYSQL_FIELD* ResultRows::names_of(const MYSQL_STMT& statement) const noexcept {
  const MYSQL& server = *statement.mysql;
  if (server.fields == nullptr || server.field_count != width_) {
    return fields_;
  }
  const auto name = [](const MYSQL_FIELD& field) {
    return std::string_view(field.name, field.name_length);
  };
  const std::span kept(fields_, width_);
  const std::span sent(server.fields, width_);
  return std::ranges::equal(kept, sent, {}, name, name) ? fields_ : server.fields;
}

void ResultRows::begin(MYSQL_STMT& statement) {
  fields_ = mariadb_stmt_fetch_fields(&statement);
  width_ = fields_ == nullptr ? 0 : mysql_stmt_field_count(&statement);
  names_ = names_of(statement);
  columns_.resize(std::max(columns_.size(), width_));
  for (std::size_t i = 0; i < width_; ++i) {
    columns_[i].kind = kind_of(fields_[i]);
    columns_[i].is_unsigned = (fields_[i].flags & UNSIGNED_FLAG) != 0;
    columns_[i].room.resize(std::max(columns_[i].room.size(), kRoomMin));
  }
  cells_.resize(width_);
  bind(statement);
}

std::vector<std::string_view> ResultRows::columns() const {
  std::vector<std::string_view> names;
  names.reserve(width_);
  for (std::size_t i = 0; i < width_; ++i) {
    names.emplace_back(names_[i].name, names_[i].name_length);
  }
  return names;
}

void ResultRows::bind(MYSQL_STMT& statement) {
  binds_.clear();
  for (std::size_t i = 0; i < width_; ++i) {
    binds_.push_back(bind_of(columns_[i]));
  }
  has_grown_ = false;
  if (mysql_stmt_bind_result(&statement, binds_.data()) != 0) {
    throw Failure(FailureKind::statement, "a result column has an unsupported type");
  }
}

MYSQL_BIND ResultRows::bind_of(Column& column) noexcept {
  MYSQL_BIND bind{};
  bind.length = &column.length;
  bind.is_null = &column.is_null;
  bind.error = &column.is_cut;
  bind.is_unsigned = static_cast<my_bool>(column.is_unsigned);
  switch (column.kind) {
    case Kind::integer:
      bind.buffer_type = MYSQL_TYPE_LONGLONG;
      bind.buffer = &column.integer;
      bind.buffer_length = sizeof column.integer;
      break;
    case Kind::single:
      bind.buffer_type = MYSQL_TYPE_FLOAT;
      bind.buffer = &column.single;
      bind.buffer_length = sizeof column.single;
      break;
    case Kind::real:
      bind.buffer_type = MYSQL_TYPE_DOUBLE;
      bind.buffer = &column.real;
      bind.buffer_length = sizeof column.real;
      break;
    case Kind::date:
    case Kind::instant:
    case Kind::local:
    case Kind::time:
      bind.buffer_type = column.kind == Kind::time   ? MYSQL_TYPE_TIME
                         : column.kind == Kind::date ? MYSQL_TYPE_DATE
                                                     : MYSQL_TYPE_DATETIME;
      bind.buffer = &column.time;
      bind.buffer_length = sizeof column.time;
      break;
    case Kind::text:
    case Kind::blob:
    case Kind::bits:
      bind.buffer_type = MYSQL_TYPE_BLOB;
      bind.buffer = column.room.data();
      bind.buffer_length = column.room.size();
      break;
  }
  return bind;
}

std::span<const Cell> ResultRows::read(MYSQL_STMT& statement) {
  for (std::size_t i = 0; i < width_; ++i) {
    cells_[i] = columns_[i].is_null != 0 ? Cell() : cell_of(statement, i);
  }
  if (has_grown_) {
    bind(statement);
  }
  return cells_;
}

std::string_view ResultRows::time_text(Column& column) {
  const MYSQL_TIME& time = column.time;
  std::array<char, 64> text{};
  int size = 0;
  if (column.kind == Kind::time) {
    size = std::snprintf(text.data(), text.size(), "%s%02u:%02u:%02u", time.neg != 0 ? "-" : "",
                         time.hour + 24 * time.day, time.minute, time.second);
  } else if (column.kind == Kind::date) {
    size =
        std::snprintf(text.data(), text.size(), "%04u-%02u-%02u", time.year, time.month, time.day);
  } else {
    size = std::snprintf(text.data(), text.size(), "%04u-%02u-%02uT%02u:%02u:%02u", time.year,
                         time.month, time.day, time.hour, time.minute, time.second);
  }
  column.room.assign(text.data(), static_cast<std::size_t>(size));
  if (column.kind != Kind::date && time.second_part != 0) {
    size = std::snprintf(text.data(), text.size(), ".%06lu", time.second_part);
    column.room.append(text.data(), static_cast<std::size_t>(size));
  }
  column.room += column.kind == Kind::instant ? "Z" : "";
  column.length = column.room.size();
  return column.room;
}

Cell ResultRows::cell_of(MYSQL_STMT& statement, std::size_t index) {
  Column& column = columns_[index];
  switch (column.kind) {
    case Kind::integer:
      if (column.is_unsigned && column.integer < 0) {
        throw Failure(FailureKind::row,
                      "an unsigned number is larger than 9223372036854775807: cast to decimal, in "
                      "the column " +
                          std::string(fields_[index].name));
      }
      return {.kind = Value::Kind::integer, .integer = column.integer};
    case Kind::single:
      return {.kind = Value::Kind::real, .real = column.single};
    case Kind::real:
      return {.kind = Value::Kind::real, .real = column.real};
    case Kind::date:
    case Kind::instant:
    case Kind::local:
    case Kind::time:
      return {.kind = Value::Kind::text, .bytes = time_text(column)};
    case Kind::text:
    case Kind::blob:
    case Kind::bits:
      break;
  }
  if (column.length > column.room.size()) {
    column.room.resize(column.length);
    MYSQL_BIND whole = bind_of(column);
    has_grown_ = true;
    if (mysql_stmt_fetch_column(&statement, &whole, static_cast<unsigned>(index), 0) != 0) {
      throw Failure(FailureKind::row, "a result column cannot be read");
    }
  }
  const std::string_view bytes(column.room.data(), column.length);
  if (column.kind != Kind::bits) {
    return {.kind = column.kind == Kind::text ? Value::Kind::text : Value::Kind::blob,
            .bytes = bytes};
  }
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, 8)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return {.kind = Value::Kind::integer, .integer = static_cast<std::int64_t>(number)};
}

std::size_t ResultRows::row_bytes() const noexcept {
  std::size_t bytes = 16 * width_;
  for (std::size_t i = 0; i < width_; ++i) {
    bytes += columns_[i].is_null != 0 ? 0 : columns_[i].length;
  }
  return bytes;
}

void ResultRows::end() {
  for (Column& column : columns_) {
    if (column.room.size() > kRoomKept) {
      column.room = std::string();
    }
  }
}

void RowFlow::begin(std::string_view sql, RowSink* sink) noexcept {
  sql_ = sql;
  sink_ = sink;
  results_ = 0;
  rows_count_ = 0;
  bytes_ = 0;
  row_bytes_max_ = 0;
  failure_ = nullptr;
}

void RowFlow::end() {
  sink_ = nullptr;
  rows_.end();
  if (failure_ != nullptr) {
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

/// A procedure may return several results; only the rows of the first one are used.
void RowFlow::on_result(MYSQL_STMT& statement) {
  ++results_;
  try {
    rows_.begin(statement);
    if (results_ == 1 && sink_ != nullptr) {
      shape_.set(rows_.columns());
      sink_->begin(shape_);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RowFlow::on_row(MYSQL_STMT& statement) {
  count();
  if (failure_ != nullptr || results_ > 1 || sink_ == nullptr) {
    return;
  }
  try {
    sink_->add(rows_.read(statement));
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RowFlow::count() {
  const bool was_within = bytes_ <= bytes_max_;
  const std::size_t row_bytes = rows_.row_bytes();
  ++rows_count_;
  bytes_ += row_bytes;
  row_bytes_max_ = std::max(row_bytes_max_, row_bytes);
  if (!was_within || bytes_ <= bytes_max_) {
    return;
  }
  if (failure_ == nullptr) {
    failure_ = mariadb::failure(
        FailureKind::row,
        "the result is larger than result_bytes_max: select fewer rows, in: " + std::string(sql_));
  }
  owner_.on_too_much();
}

}  // namespace eider::db::mariadb
