// Reads the rows of a statement one by one as they arrive, counts them and passes them on.
// Layering: must not keep a row, and must not trust lengths that the server sends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/connection.h"
#include "eider/data/db/mariadb/handles.h"

namespace eider::db::mariadb {

/// Reuses its memory.
class ResultRows {
 public:
  /// Called before the first row. Pre: the statement was executed, and returns rows.
  ///
  /// errors  Failure(statement)  Connector/C cannot read a column
  void begin(MYSQL_STMT& statement);
  /// Returns the column names. Must be called before another statement is executed.
  [[nodiscard]] std::vector<std::string_view> columns() const;
  /// Returns the cells of the last fetched row, valid until the next one.
  ///
  /// errors  Failure(row)  an unsigned number above INT64_MAX
  [[nodiscard]] std::span<const Cell> read(MYSQL_STMT& statement);
  /// Returns the size of that row in bytes.
  [[nodiscard]] std::size_t row_bytes() const noexcept;
  /// Frees large buffers.
  void end();
  /// Returns the kind of a column's values: "integer", "text", …
  [[nodiscard]] static std::string_view name_of_kind(const MYSQL_FIELD& field) noexcept;

 private:
  enum class Kind : std::uint8_t {
    integer,
    single,
    real,
    text,
    blob,
    bits,
    date,
    instant,
    local,
    time
  };

  struct Column {
    Kind kind = Kind::text;
    bool is_unsigned = false;
    long long integer = 0;
    float single = 0;
    double real = 0;
    MYSQL_TIME time{};
    std::string room{};
    unsigned long length = 0;
    my_bool is_null = 0;
    my_bool is_cut = 0;
  };

  [[nodiscard]] static Kind kind_of(const MYSQL_FIELD& field) noexcept;
  [[nodiscard]] const MYSQL_FIELD* names_of(const MYSQL_STMT& statement) const noexcept;
  void bind(MYSQL_STMT& statement);
  [[nodiscard]] static MYSQL_BIND bind_of(Column& column) noexcept;
  [[nodiscard]] Cell cell_of(MYSQL_STMT& statement, std::size_t index);
  [[nodiscard]] static std::string_view time_text(Column& column);

  const MYSQL_FIELD* fields_ = nullptr;
  const MYSQL_FIELD* names_ = nullptr;
  std::size_t width_ = 0;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> binds_;
  std::vector<Cell> cells_;
  bool has_grown_ = false;
};

class RowFlowOwner {
 public:
  /// The server must be requested to cancel the statement.
  virtual void on_too_much() = 0;

 protected:
  ~RowFlowOwner() = default;
};

/// Counts the rows of one statement on their way to the consumer. After an error, it keeps reading
/// and discards the rows, because the connection is used again after the last one.
class RowFlow {
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
  /// Rows follow. Binds the columns, even if the rows are not needed. Does not throw.
  void on_result(MYSQL_STMT& statement);
  void on_row(MYSQL_STMT& statement);
  /// For rows in pieces: the current piece is full.
  [[nodiscard]] bool is_full() const noexcept {
    return failure_ != nullptr || sink_ == nullptr || sink_->is_full();
  }
  [[nodiscard]] bool has_rows() const noexcept { return rows_count_ != 0; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_count_; }
  /// Returns the size of all rows so far.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t row_bytes_max() const noexcept { return row_bytes_max_; }

 private:
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
