// The connections of a PostgreSQL Database on each event loop: server, replicas and listener.
// Layering: must not contain state of one event loop itself.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "eider/data/db/notices.h"
#include "eider/data/db/pool.h"
#include "eider/data/db/postgres/loop_listener.h"
#include "eider/data/db/postgres/loop_replicas.h"
#include "eider/data/db/postgres/loop_sessions.h"
#include "eider/data/db/session_pool.h"
#include "eider/io/runtime/loop_local.h"

namespace eider::db::postgres {

class PostgresPool final : public SessionPool<LoopSessions>,
                           public NoticeSource,
                           public std::enable_shared_from_this<PostgresPool> {
 public:
  PostgresPool(const std::shared_ptr<const Settings>& settings, LoopReplicas::All replicas)
      : SessionPool(settings, text_of(settings->target)),
        listeners_(
            [settings] { return std::make_unique<LoopListener>(Loop::current(), settings); }),
        has_replicas_(!replicas.empty()),
        replicas_([settings, all = std::move(replicas)] {
          return std::make_unique<LoopReplicas>(Loop::current(), all,
                                                settings->options.replica_lag_max);
        }) {}

  /// By which this loop listens.
  [[nodiscard]] LoopListener& listener() const { return listeners_.here(); }

  [[nodiscard]] Dialect dialect() const noexcept override { return Dialect::postgres; }
  [[nodiscard]] std::shared_ptr<Pool> replica() override;
  [[nodiscard]] std::unique_ptr<Notices> notices(const std::string& channel) override;
  [[nodiscard]] bool submit_to_replica(std::unique_ptr<Job>& job) {
    return replicas_.here().submit(job, sessions());
  }

 private:
  LoopLocal<LoopListener> listeners_;
  bool has_replicas_;
  LoopLocal<LoopReplicas> replicas_;
};

/// The same for what only reads.
class ReplicaPool final : public Pool {
 public:
  explicit ReplicaPool(std::shared_ptr<PostgresPool> pool) noexcept : pool_(std::move(pool)) {}

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane /*lane*/) override {
    return pool_->submit_to_replica(job);
  }
  void abandon(Job& job) noexcept override { pool_->abandon(job); }
  void on_changed(TransactionState& transaction) override { pool_->on_changed(transaction); }
  [[nodiscard]] Dialect dialect() const noexcept override { return Dialect::postgres; }

 private:
  std::shared_ptr<PostgresPool> pool_;
};

inline std::shared_ptr<Pool> PostgresPool::replica() {
  return has_replicas_ ? std::make_shared<ReplicaPool>(shared_from_this()) : nullptr;
}

}  // namespace eider::db::postgres
