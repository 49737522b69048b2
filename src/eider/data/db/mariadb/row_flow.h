// Counts the rows of one statement on their way to the consumer.
// Layering: must not stop reading; the connection is used again after the last row.
#pragma once

#include <cstddef>
#include <exception>
#include <string_view>

#include "eider/data/db/connection.h"
#include "eider/data/db/mariadb/result_rows.h"
#include "eider/data/db/mariadb/wire.h"

namespace eider::db::mariadb {

class RowFlowOwner {
 public:
  /// The server must be requested to cancel the statement.
  virtual void on_too_much() = 0;

 protected:
  ~RowFlowOwner() = default;
};

class RowFlow final : public RowTaker {
 public:
  RowFlow(RowFlowOwner& owner, std::size_t bytes_max) noexcept
      : owner_(owner), bytes_max_(bytes_max) {}

  /// sql   for failures; must outlive the statement
  /// sink  null if the rows are not needed
  void begin(std::string_view sql, RowSink* sink) noexcept;
  /// Discards further rows.
  void stop() noexcept { sink_ = nullptr; }
  /// errors  those of the sink, and Failure(row)  the result was too large
  void end();
  [[nodiscard]] bool has_rows() const noexcept { return rows_count_ != 0; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_count_; }
  [[nodiscard]] std::size_t bytes() const noexcept override { return bytes_; }
  [[nodiscard]] std::size_t row_bytes_max() const noexcept { return row_bytes_max_; }

 private:
  void on_result(MYSQL_STMT& statement) override;
  void on_row(MYSQL_STMT& statement) override;
  [[nodiscard]] bool is_full() const noexcept override {
    return failure_ != nullptr || sink_ == nullptr || sink_->is_full();
  }
  void count();

  RowFlowOwner& owner_;
  std::size_t bytes_max_;
  std::string_view sql_;
  RowSink* sink_ = nullptr;
  ResultRows rows_;
  RowShape shape_;
  std::size_t results_ = 0;
  std::size_t rows_count_ = 0;
  std::size_t bytes_ = 0;
  std::size_t row_bytes_max_ = 0;  // size of the largest row
  std::exception_ptr failure_;
};

}  // namespace eider::db::mariadb
