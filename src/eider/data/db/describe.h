// Describes statements without running them, for tools.
// Layering: must not know which database it is; drivers fill in the description.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"

namespace eider::db {

/// A statement as its server describes it, without running it.
struct Description {
  /// PostgreSQL reports types and tables by their number, and 0 for the table of an expression.
  /// MariaDB reports the others.
  ///
  /// modifier     of the type, such as its length; -1: none
  /// place        number of the column in its table
  /// kind         of the values that the driver reads: "integer", "text", …
  /// is_not_null  the column of a table is never null in this result, except in super-aggregate
  /// rows
  struct Column {
    std::string name;
    unsigned type = 0;
    int modifier = -1;
    unsigned table = 0;
    int place = 0;
    std::string_view kind{};
    bool is_not_null = false;
  };

  std::vector<unsigned> parameters{};  // PostgreSQL: their types
  std::vector<Column> columns{};
};

class DescribeJob final : public Job {
 public:
  /// errors   Failure(statement)  it contains a zero byte, where servers stop reading
  explicit DescribeJob(std::string sql) : sql_(std::move(sql)) {
    if (sql_.contains('\0')) {
      throw Failure(FailureKind::statement, to_text(SqlFault::zero_byte));
    }
  }
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::describe, .sql = sql_, .description = &description_};
  }
  Description take() {
    rethrow();
    return std::move(description_);
  }

 private:
  std::string sql_;
  Description description_;
};

/// Prepares a statement of PostgreSQL or MariaDB, and does not run it.
///
/// errors   Failure, thrown: with the whole message of the server, or for a NUL byte
[[nodiscard]] inline Pending<DescribeJob> describe(const Database& database, std::string sql) {
  return {Route(database.pool(), nullptr), Lane::reading,
          std::make_unique<DescribeJob>(std::move(sql))};
}

}  // namespace eider::db
