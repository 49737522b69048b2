// The replicas of a database as one event loop sees them, with their availability and lag.
// Layering: must not be used for statements that write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "eider/data/db/postgres/loop_sessions.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::db::postgres {

class LoopReplicas final : private SessionsFallback {
 public:
  using All = std::vector<std::shared_ptr<const Settings>>;

  /// lag_max  a replica that is further behind is passed over
  LoopReplicas(Loop& loop, const All& replicas, Duration lag_max);

  /// To the next replica that may have it, or else to the primary: also later, when that replica
  /// has turned out to be gone.
  ///
  /// primary  of this loop; stays until that ends
  /// returns  as LoopSessions::submit
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, LoopSessions& primary);

 private:
  struct Replica {
    Replica(Loop& loop, const std::shared_ptr<const Settings>& settings,
            const std::shared_ptr<const Settings>& probing, SessionsFallback& fallback);

    LoopSessions sessions;
    std::shared_ptr<LoopSessions> prober;  // which finds a free connection whatever is asked
    bool is_probing = false;
    std::optional<Instant> probed{};     // when it was begun last
    std::optional<Instant> confirmed{};  // when it was last found to be there, and not behind
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

}  // namespace eider::db::postgres
