// Passes on the rows of a statement one by one as they arrive.
// Layering: must not keep a row, and must not trust lengths that the server sends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

}  // namespace eider::db::mariadb
