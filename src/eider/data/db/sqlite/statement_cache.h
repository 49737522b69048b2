// The prepared statements of one connection, cached for reuse.
// Layering: must not be shared between threads or exceed its limit.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/lru_map.h"

struct sqlite3;
struct sqlite3_stmt;

namespace eider::db {

/// A prepared statement.
class PreparedStatement {
 public:
  /// errors  Failure(statement), thrown: syntax error, several statements, or parameters other than
  ///         $1, $2 …
  PreparedStatement(sqlite3* handle, std::string_view sql);

  [[nodiscard]] sqlite3_stmt* get() const noexcept { return statement_.get(); }
  [[nodiscard]] const std::string& sql() const noexcept { return sql_; }
  /// For each of SQLite's parameters, in its order: the index of the value, 0 for $1.
  [[nodiscard]] const std::vector<std::size_t>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] bool only_reads() const noexcept;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const noexcept;
  };

  void prepare(sqlite3* handle);
  void read_parameters();

  std::string sql_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<std::size_t> parameters_;
};

class StatementCache {
 public:
  /// count_max  at least 1
  explicit StatementCache(std::size_t count_max) noexcept : count_max_(count_max) {}

  /// Returns the statement with that text, prepared on first use; valid until the next call. Throws
  /// like PreparedStatement.
  PreparedStatement& get(sqlite3* handle, std::string_view sql);
  [[nodiscard]] std::size_t size() const noexcept { return statements_.size(); }
  void clear() noexcept { statements_.clear(); }

 private:
  std::size_t count_max_;
  LruMap<PreparedStatement, &PreparedStatement::sql> statements_{};
};

}  // namespace eider::db
