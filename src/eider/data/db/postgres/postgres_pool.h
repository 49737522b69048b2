// The connections of a PostgreSQL Database on each event loop: server, replicas and listener.
// Layering: must not contain state of one event loop itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/pool.h"
#include "eider/data/db/postgres/loop_listener.h"
#include "eider/data/db/postgres/session.h"
#include "eider/data/db/session_pool.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::db::postgres {

/// The replicas of a database as one event loop sees them, with their availability and lag.
class LoopReplicas final : private SessionsFallback {
 public:
  using All = std::vector<std::shared_ptr<const Settings>>;

  /// lag_max  replicas with a larger lag are not used
  LoopReplicas(Loop& loop, const All& replicas, Duration lag_max);

  /// Submits the job to the next available replica, or else to the primary, even later if that
  /// replica turns out to be unavailable.
  ///
  /// primary  of this event loop; must stay valid until it ends
  /// returns  like LoopSessions::submit
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, LoopSessions& primary);

 private:
  struct Replica {
    Replica(Loop& loop, const std::shared_ptr<const Settings>& settings,
            const std::shared_ptr<const Settings>& probing, SessionsFallback& fallback);

    LoopSessions sessions;
    std::shared_ptr<LoopSessions> prober;  // never waits for statements
    bool is_probing = false;
    std::optional<Instant> probed{};     // when the last probe started
    std::optional<Instant> confirmed{};  // when a probe last succeeded with a small lag
  };

  [[nodiscard]] LoopSessions* choose();
  void probe_sometimes(Replica& replica);
  [[nodiscard]] Task<> probe(Replica& replica);
  [[nodiscard]] static Task<std::optional<std::int64_t>> ask_lag(
      std::shared_ptr<LoopSessions> prober);
  [[nodiscard]] bool take(std::unique_ptr<Job>& job) override;

  Loop& loop_;
  const Duration lag_max_;
  LoopSessions* primary_ = nullptr;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::size_t next_ = 0;
  Scope probing_;
};

class PostgresPool final : public SessionPool<LoopSessions>,
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

  /// The connection of this event loop for LISTEN.
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

/// The same for read-only statements.
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
