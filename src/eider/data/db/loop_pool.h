// A database for tests: without threads, so that each job runs immediately and completes in a later
// turn of the event loop, and with changes that are rolled back.
// Layering: must not serve other requests; its event loop blocks meanwhile.
#pragma once

#include <deque>
#include <memory>
#include <utility>

#include "eider/data/db/connection.h"
#include "eider/data/db/pool.h"

namespace eider::db {

/// For one event loop, including simulated ones. There are no limits and deadlines, so that the
/// outcome of a test does not depend on real time.
class LoopPool final : public Pool {
 public:
  explicit LoopPool(std::unique_ptr<Connection> connection) noexcept
      : connection_(std::move(connection)) {}

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane lane) override;
  void abandon(Job& job) noexcept override;
  void on_changed(TransactionState& transaction) override;
  /// Rows of streams are read from the only connection, between other statements.
  [[nodiscard]] bool has_connections_for_streams() const noexcept override { return false; }

 private:
  void run_all();
  [[nodiscard]] std::unique_ptr<Job> next();
  void end_transaction();

  std::unique_ptr<Connection> connection_;
  std::deque<std::unique_ptr<Job>> jobs_;
  std::shared_ptr<TransactionState> transaction_;  // the one that has the connection
};

/// A connection for one test whose changes are rolled back at the end. Not for serving: it holds
/// the write lock of its database. Begins a transaction of `inner`, and maps later transactions to
/// savepoints within it. Violations of constraints that are deferred to the commit are not
/// detected, because there is no commit.
class RolledBackConnection final : public Connection {
 public:
  explicit RolledBackConnection(std::unique_ptr<Connection> inner);
  ~RolledBackConnection() override;
  RolledBackConnection(const RolledBackConnection&) = delete;
  RolledBackConnection& operator=(const RolledBackConnection&) = delete;

  [[nodiscard]] std::optional<Changed> run(std::string_view sql, std::span<const Value> values,
                                           RowSink* rows, const Limit& limit) override;
  void take_piece(Cursor& cursor, std::string_view sql, std::span<const Value> values,
                  RowSink& rows, const Limit& limit) override {
    inner_->take_piece(cursor, sql, values, rows, limit);
  }
  void close_cursor(std::uint64_t number) noexcept override { inner_->close_cursor(number); }
  void close_cursors() noexcept override { inner_->close_cursors(); }
  void script(std::string_view sql) override;
  void begin() override;
  void commit() override;
  void roll_back() noexcept override;

 private:
  void say(std::string_view sql);
  void stay_within() noexcept;

  const std::unique_ptr<Connection> inner_;
  bool has_savepoint_ = false;
};

}  // namespace eider::db
