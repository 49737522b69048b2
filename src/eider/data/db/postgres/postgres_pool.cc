#include <chrono>
#include <utility>

#include "eider/data/db/database.h"
#include "eider/data/db/postgres/postgres_pool.h"
#include "eider/io/runtime/deadline.h"

namespace eider::db::postgres {
namespace {

using std::chrono::milliseconds;

constexpr Duration kProbeEvery = std::chrono::seconds(1);
constexpr Duration kProbeMax = std::chrono::seconds(1);
/// Health information older than this is unknown: the primary is used in the meantime.
constexpr Duration kConfirmedFor = kProbeEvery + kProbeMax + kProbeEvery;

/// Returns the lag in milliseconds, or NULL if the server is not a replica anymore or has no
/// connection to its primary. A replica that has replayed everything is not late, as long as it
/// receives data.
constexpr const char* kLagSql =
    "select case when not pg_is_in_recovery() then null "
    "when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() "
    "and exists(select from pg_stat_wal_receiver) then 0 "
    "else (extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::int8 "
    "end";

/// Sends statements to the sessions of this event loop.
class ProbePool final : public Pool {
 public:
  explicit ProbePool(std::shared_ptr<LoopSessions> sessions) noexcept
      : sessions_(std::move(sessions)) {}
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane /*lane*/) override {
    return sessions_->submit(job);
  }
  void abandon(Job& job) noexcept override {
    LoopConnection* carrier = job.carrier();
    job.abandon();
    if (carrier != nullptr) {
      carrier->on_abandoned(job);
    }
  }
  void on_changed(TransactionState& /*transaction*/) override {}
  [[nodiscard]] Dialect dialect() const noexcept override { return Dialect::postgres; }

 private:
  std::shared_ptr<LoopSessions> sessions_;
};

std::shared_ptr<const Settings> probing_by(const Settings& settings) {
  Settings probing = settings;
  probing.options.connections_max = 1;
  probing.options.wait_time_max = kProbeMax;
  return std::make_shared<const Settings>(std::move(probing));
}

}  // namespace

LoopReplicas::Replica::Replica(Loop& loop, const std::shared_ptr<const Settings>& settings,
                               const std::shared_ptr<const Settings>& probing,
                               SessionsFallback& fallback)
    : sessions(loop, settings, &fallback), prober(std::make_shared<LoopSessions>(loop, probing)) {}

LoopReplicas::LoopReplicas(Loop& loop, const All& replicas, Duration lag_max)
    : loop_(loop), lag_max_(lag_max) {
  for (const std::shared_ptr<const Settings>& settings : replicas) {
    replicas_.push_back(std::make_unique<Replica>(loop, settings, probing_by(*settings),
                                                  static_cast<SessionsFallback&>(*this)));
  }
}

bool LoopReplicas::submit(std::unique_ptr<Job>& job, LoopSessions& primary) {
  primary_ = &primary;
  LoopSessions* const chosen = choose();
  return (chosen != nullptr ? *chosen : primary).submit(job);
}

/// Replicas take turns.
LoopSessions* LoopReplicas::choose() {
  LoopSessions* chosen = nullptr;
  const std::size_t first = next_++;
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    Replica& replica = *replicas_[(first + i) % replicas_.size()];
    probe_sometimes(replica);
    const bool is_good = replica.confirmed && loop_.now() - *replica.confirmed <= kConfirmedFor;
    chosen = chosen == nullptr && is_good ? &replica.sessions : chosen;
  }
  return chosen;
}

void LoopReplicas::probe_sometimes(Replica& replica) {
  if (!replica.is_probing && (!replica.probed || loop_.now() - *replica.probed >= kProbeEvery)) {
    replica.is_probing = true;
    replica.probed = loop_.now();
    probing_.start(probe(replica));
  }
}

Task<std::optional<std::int64_t>> LoopReplicas::ask_lag(std::shared_ptr<LoopSessions> prober) {
  const Database base(std::make_shared<ProbePool>(std::move(prober)));
  const auto lag = co_await base.one<std::optional<std::int64_t>>(RuntimeSql{kLagSql});
  co_return lag.value_or(std::nullopt);
}

Task<> LoopReplicas::probe(Replica& replica) {
  std::optional<std::int64_t> lag;
  try {
    lag = (co_await with_deadline(ask_lag(replica.prober), kProbeMax)).value_or(std::nullopt);
  } catch (const Failure&) {
    lag.reset();
  }
  replica.is_probing = false;
  if (lag && milliseconds(*lag) <= lag_max_) {
    replica.confirmed = loop_.now();
  } else {
    replica.confirmed.reset();
    replica.sessions.hand_over();
  }
}

/// Uses the primary, because another replica may also be unavailable.
bool LoopReplicas::take(std::unique_ptr<Job>& job) {
  return primary_ != nullptr && primary_->submit(job);
}

}  // namespace eider::db::postgres
