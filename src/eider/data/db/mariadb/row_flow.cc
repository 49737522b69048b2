#include "eider/data/db/mariadb/row_flow.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/data/db/mariadb/mariadb_error.h"

namespace eider::db::mariadb {

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
