// A database without threads, for tests: each job runs immediately and completes in a later turn of
// the event loop.
// Layering: must not serve other requests; its event loop blocks meanwhile.
#pragma once

#include <deque>
#include <memory>

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

}  // namespace eider::db
