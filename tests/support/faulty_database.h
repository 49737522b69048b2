// An SQLite database in memory that counts its statements, and fails as a test specifies.
// Layering: must not be linked into an application.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/data/db/loop_pool.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/data/db/sqlite/sqlite_connection.h"

namespace eider {

/// The executed statements, and the failures to cause.
///
/// asked      statements in order, with "begin" and "commit"
/// fails_at   index in `asked` that fails as busy; empty: none fails
/// fails_for  number of failures from there on
/// begins     only statements with this prefix fail, the next `fails_for` of them
/// is_done    a failing statement is executed anyway, as if only the response were lost
struct DatabaseFaults {
  std::vector<std::string> asked = {};
  std::optional<std::size_t> fails_at = {};
  std::size_t fails_for = 1;
  std::string begins = {};
  bool is_done = false;

  /// Makes the statement fail that follows after this number of others.
  void fail_behind(std::size_t more) { fails_at = asked.size() + more; }
  [[nodiscard]] bool has_failed() const { return fails_at && asked.size() > *fails_at; }
  /// Returns whether the next statement fails.
  [[nodiscard]] bool fails(std::string_view sql) {
    const std::size_t index = asked.size();
    asked.emplace_back(sql);
    if (!begins.empty()) {
      return sql.starts_with(begins) && fails_for != 0 && fails_for-- != 0;
    }
    return fails_at && index >= *fails_at && index - *fails_at < fails_for;
  }
};

class FaultyConnection final : public db::Connection {
 public:
  FaultyConnection(std::unique_ptr<db::Connection> connection,
                   std::shared_ptr<DatabaseFaults> faults) noexcept
      : connection_(std::move(connection)), faults_(std::move(faults)) {}

  [[nodiscard]] std::optional<db::Changed> run(std::string_view sql,
                                               std::span<const db::Value> values, db::RowSink* rows,
                                               const db::Limit& limit) override {
    std::optional<db::Changed> changed;
    call(sql, [&] { changed = connection_->run(sql, values, rows, limit); });
    return changed;
  }
  void script(std::string_view sql) override { connection_->script(sql); }
  void begin() override {
    call("begin", [&] { connection_->begin(); });
  }
  void commit() override {
    call("commit", [&] { connection_->commit(); });
  }
  void roll_back() noexcept override { connection_->roll_back(); }

 private:
  template <class F>
  void call(std::string_view sql, F function) {
    const bool fails = faults_->fails(sql);
    if (!fails || faults_->is_done) {
      function();
    }
    if (fails) {
      if (sql == "begin") {
        connection_->roll_back();
      }
      throw db::Failure(db::FailureKind::busy, "the database is busy, as the test wants it");
    }
  }

  std::unique_ptr<db::Connection> connection_;
  std::shared_ptr<DatabaseFaults> faults_;
};

/// Runs on the calling loop, for simulated time.
[[nodiscard]] inline Database open_faulty_database(std::shared_ptr<DatabaseFaults> faults) {
  auto connection = std::make_unique<db::SqliteConnection>(
      db::kInMemory, db::SqliteConnection::Role::writes, SqliteOptions());
  return Database(std::make_shared<db::LoopPool>(
      std::make_unique<FaultyConnection>(std::move(connection), std::move(faults))));
}

}  // namespace eider
