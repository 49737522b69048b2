#include "eider/data/db/postgres/result_rows.h"

#include <algorithm>
#include <charconv>

#include "eider/data/db/failure.h"

namespace eider::db::postgres {

std::int64_t rows_of(std::string_view tag, std::int64_t given) noexcept {
  if (tag.starts_with("SELECT ")) {
    return given;  // CREATE TABLE AS has this tag, too, and returns no rows
  }
  const std::string_view number = tag.substr(tag.rfind(' ') + 1);
  std::int64_t rows = 0;
  (void)std::from_chars(number.data(), number.data() + number.size(), rows);
  return rows;
}

void ResultShape::keep(std::span<const Column> columns, std::optional<Format> format) {
  names_.clear();
  codings_.clear();
  for (const Column& column : columns) {
    names_.emplace_back(column.name);
    codings_.push_back({.type = column.type, .format = format.value_or(column.format)});
  }
  std::ranges::copy(names_, rows_.make_columns(names_.size()).begin());
}

bool ResultShape::is_of(std::span<const Column> columns) const noexcept {
  return std::ranges::equal(codings_, columns, {}, &Coding::type, &Column::type);
}

void ResultRows::begin() noexcept {
  count_ = 0;
  bytes_ = 0;
  is_open_ = false;
  if (has_columns(nullptr)) {
    own_shape_.keep({}, {});
  }
}

// The server never changes the columns of a prepared statement: it rejects statements whose tables
// have changed. A pooler that prepares the statement again on another server does not, so the types
// must be checked before values are read.
void ResultRows::describe(std::string_view body, ResultShape* shape) {
  const std::vector<Column> columns = read_columns(body);
  if (count_ != 0) {
    throw Failure(FailureKind::lost,
                  "PostgreSQL changed the description of the rows in the middle of a result");
  }
  if (shape == nullptr) {
    own_shape_.keep(columns, std::nullopt);
  } else if (!shape->is_of(columns)) {
    shape->keep(columns, std::nullopt);
  }
}

ResultShape& ResultRows::open(ResultShape* shape, RowSink& rows) {
  ResultShape& its = shape == nullptr ? own_shape_ : *shape;
  if (!is_open_) {
    is_open_ = true;
    rows.begin(its.rows_);
  }
  return its;
}

void ResultRows::take(std::string_view body, ResultShape* shape, RowSink* rows) {
  ++count_;
  bytes_ += body.size();
  if (rows == nullptr) {
    return;
  }
  const std::span<const ResultShape::Coding> codings = open(shape, *rows).codings_;
  values_.resize(codings.size());
  cells_.resize(codings.size());
  rooms_.resize(std::max(rooms_.size(), codings.size()));
  read_row(body, values_);
  for (std::size_t i = 0; i < codings.size(); ++i) {
    const bool is_null = values_[i].data() == nullptr;
    cells_[i] =
        is_null ? Cell{} : read_cell(codings[i].type, codings[i].format, values_[i], rooms_[i]);
  }
  rows->add(cells_);
}

std::int64_t ResultRows::end(ResultShape* shape, RowSink* rows) {
  if (rows != nullptr) {
    open(shape, *rows);
  }
  return count_;
}

}  // namespace eider::db::postgres
