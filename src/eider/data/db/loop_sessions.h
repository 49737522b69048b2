// The connections of one event loop to one server, with a bounded queue: for drivers without
// threads.
// Layering: must not know a driver.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/failure.h"
#include "eider/data/db/job.h"
#include "eider/data/db/pool.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider::db {

/// Recent durations of statements by text, to send fast ones together.
class StatementCosts {
 public:
  void note(std::string_view sql, Duration took) noexcept {
    Cost& cost = at(sql);
    const bool is_known = cost.hash == hash_of(sql);
    // If texts share an entry, the last one replaces the others.
    cost = {.hash = hash_of(sql), .took = is_known ? (cost.took * 3 + took) / 4 : took};
  }
  void forget(std::string_view sql) noexcept { at(sql) = {}; }
  /// The maximum for a text that was not noted.
  [[nodiscard]] Duration of(std::string_view sql) noexcept {
    const Cost& cost = at(sql);
    return cost.hash == hash_of(sql) ? cost.took : Duration::max();
  }

 private:
  struct Cost {
    std::size_t hash = 0;
    Duration took = Duration::max();
  };

  /// Never 0, the hash of an empty entry.
  static std::size_t hash_of(std::string_view sql) noexcept {
    return std::hash<std::string_view>()(sql) | 1U;
  }
  Cost& at(std::string_view sql) noexcept { return costs_[(hash_of(sql) >> 1U) % costs_.size()]; }

  std::array<Cost, 256> costs_{};
};

/// Waiting statements that are sent to one connection together. For the connection they are parts
/// of one job, written at once; each gets only its own failure.
class JobGroup final : public Job, private LoopConnection {
 public:
  /// costs  must outlive this; abandoned statements are removed from it
  JobGroup(StatementCosts& costs, std::size_t jobs_max) : costs_(costs) {
    jobs_.reserve(jobs_max);
    parts_.reserve(jobs_max);
  }

  /// Pre: it contains fewer than `jobs_max`, and `job` is a single read-only statement.
  void add(std::unique_ptr<Job> job);
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::each, .parts = parts_};
  }
  [[nodiscard]] JobGroup* group() noexcept override { return this; }
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }
  /// Limited, because it contains fast statements: if one is blocked, the others must not wait for
  /// it.
  [[nodiscard]] Duration time_max(Duration usual) const noexcept override {
    return std::min<Duration>(usual, std::chrono::milliseconds(250));
  }

  /// Called at the end: parts that were not executed have failed.
  void end() noexcept;
  /// Returns the jobs, with the outcome of those that were executed or have failed.
  [[nodiscard]] std::vector<std::unique_ptr<Job>> take();

 protected:
  void forget_rows() noexcept override;

 private:
  void on_abandoned(Job& job) noexcept override;
  void on_changed() override {}

  StatementCosts& costs_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Part> parts_;
  std::size_t awaited_ = 0;
};

/// Counts the connections of all loops to one server. Each loop adds its changes without a lock;
/// any thread can read them.
class PoolCounts {
 public:
  void add(const PoolState& now, const PoolState& before) noexcept {
    connections_.fetch_add(now.connections - before.connections, std::memory_order_relaxed);
    busy_.fetch_add(now.busy - before.busy, std::memory_order_relaxed);
    waiting_.fetch_add(now.waiting - before.waiting, std::memory_order_relaxed);
  }
  [[nodiscard]] PoolState state() const noexcept {
    return {.connections = connections_.load(std::memory_order_relaxed),
            .busy = busy_.load(std::memory_order_relaxed),
            .waiting = waiting_.load(std::memory_order_relaxed)};
  }

 private:
  // Subtraction relies on unsigned wrap-around.
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::size_t> waiting_{0};
};

/// Called by the sessions of one loop. The functions must not destroy the session within the call,
/// nor resume a coroutine that awaits a job.
///
/// Place  the address to connect to, with resolved names
template <class Session, class Place>
class SessionOwner {
 public:
  [[nodiscard]] virtual Task<Place> find_place() = 0;
  /// Called when the session can execute jobs: is_free().
  virtual void on_free(Session& session) = 0;
  /// Called when the job was executed or has failed.
  virtual void on_finished(std::unique_ptr<Job> job) = 0;
  /// Called if the job was not executed: another connection may execute it.
  virtual void on_returned(std::unique_ptr<Job> job) = 0;
  virtual void on_closed(Session& session, std::string why) = 0;
  /// Returns whether all jobs here only read.
  [[nodiscard]] virtual bool may_do_again() const noexcept = 0;

 protected:
  ~SessionOwner() = default;
};

/// Executes jobs that the connections of a loop cannot execute.
class SessionsFallback {
 public:
  /// returns  false, with the job rejected or unchanged, if it cannot either
  [[nodiscard]] virtual bool take(std::unique_ptr<Job>& job) = 0;

 protected:
  ~SessionsFallback() = default;
};

/// Driver  has the types Session, Place, Finder, which finds it, and Settings with `target` and
///         `options`; the name kServer; may_do_again(settings); kBatchMax, the maximum number of
///         statements sent to a connection together, and may_go_together(sql)
template <class Driver>
class LoopSessions final : public SessionOwner<typename Driver::Session, typename Driver::Place>,
                           private Timer,
                           private Deferred {
 public:
  using Session = typename Driver::Session;
  using Settings = typename Driver::Settings;

  /// fallback  executes waiting jobs while there is no connection; null: they fail after a while
  /// counts    null: not counted
  LoopSessions(Loop& loop, std::shared_ptr<const Settings> settings,
               SessionsFallback* fallback = nullptr,
               std::shared_ptr<PoolCounts> counts = nullptr) noexcept
      : loop_(loop),
        settings_(std::move(settings)),
        finder_(loop, settings_->target),
        fallback_(fallback),
        counts_(std::move(counts)) {}
  ~LoopSessions() { tell({}); }
  LoopSessions(const LoopSessions&) = delete;
  LoopSessions& operator=(const LoopSessions&) = delete;

  /// returns  false, with the job rejected and not moved, if too many wait
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job);
  /// Passes waiting jobs to the fallback.
  void hand_over();
  /// While it is set, waiting jobs fail after some failed attempts to connect, as they always do if
  /// the server rejects the login.
  void set_impatient(bool is_impatient) noexcept {
    is_impatient_ = is_impatient;
    failures_ = 0;
  }

 private:
  using Waiting = std::deque<std::unique_ptr<Job>>;
  static constexpr Duration kPauseMin = std::chrono::milliseconds(100);
  static constexpr Duration kPauseMax = std::chrono::seconds(2);
  /// Up to this number, fast statements are not distributed over connections, because a write and a
  /// wake-up of the server cost more than such a statement. Slower ones than kNotSpreadMax are.
  static constexpr std::size_t kBatchMin = 8;
  static constexpr Duration kNotSpreadMax = std::chrono::milliseconds(1);
  /// The maximum total time of statements in a group, because the last one waits for all others.
  static constexpr Duration kTogetherTimeMax = std::chrono::milliseconds(10);
  /// More than one, because a server may reject the user on its socket but accept it on its port.
  static constexpr int kFailuresMax = 2;
  /// If a group took longer than this, its statements are not considered fast any more.
  static constexpr Duration kHeldUp = kTogetherTimeMax * 10;

  [[nodiscard]] Task<typename Driver::Place> find_place() override { return finder_.find(); }
  void on_free(Session& session) override;
  void on_finished(std::unique_ptr<Job> job) override;
  void on_returned(std::unique_ptr<Job> job) override;
  void on_closed(Session& session, std::string why) override;
  [[nodiscard]] bool may_do_again() const noexcept override {
    return Driver::may_do_again(*settings_);
  }
  void expire() override;
  void run() override;

  [[nodiscard]] bool is_full_for(const Job& job);
  void tell_counts();
  void tell(const PoolState& now) noexcept;
  void go_on();
  void serve_queue();
  void serve(Session& session);
  [[nodiscard]] std::unique_ptr<Job> take(typename Waiting::iterator next);
  [[nodiscard]] std::unique_ptr<Job> form_batch(std::unique_ptr<Job> first);
  void go_on_with(std::unique_ptr<Job> job);
  void give_back(JobGroup& group);
  [[nodiscard]] Duration cost_of(const Job& job) noexcept;
  void note_cost(const Job& job, Duration took);
  void drop_left();
  [[nodiscard]] typename Waiting::iterator find_next();
  [[nodiscard]] bool may_stream() const;
  void open_more();
  [[nodiscard]] bool may_open() const;
  void note_no_connection(std::string why, bool is_rejected);
  [[nodiscard]] bool is_hopeless() const noexcept {
    return failures_ >= kFailuresMax && sessions_.empty();
  }
  [[nodiscard]] Failure lateness_of(const Job& job) const;
  void refuse_until(Instant deadline);
  void arm_timer() noexcept;

  template <class Range, class Fits>
  [[nodiscard]] static std::size_t count(const Range& range, Fits fits) {
    return static_cast<std::size_t>(std::ranges::count_if(range, fits));
  }

  Loop& loop_;
  std::shared_ptr<const Settings> settings_;
  typename Driver::Finder finder_;
  SessionsFallback* const fallback_;
  const std::shared_ptr<PoolCounts> counts_;
  PoolState told_;
  StatementCosts costs_;  // running groups refer to it
  Waiting waiting_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<std::unique_ptr<Session>> closed_;  // destroyed outside of their own calls
  std::vector<std::unique_ptr<Job>> finished_;    // their coroutines are resumed in `run`
  std::vector<std::unique_ptr<Job>> running_;
  bool is_impatient_ = false;
  int failures_ = 0;  // consecutive failures to connect that waiting does not cure
  std::string why_;   // why there is no connection; empty if the last attempt succeeded
  Duration pause_{0};
  Instant pause_end_;
};

template <class D>
bool LoopSessions<D>::submit(std::unique_ptr<Job>& job) {
  if (is_full_for(*job)) {
    serve_queue();
  }
  if (is_full_for(*job)) {
    job->refuse(Failure(FailureKind::busy,
                        job->opens_stream() ? "too many row streams are waiting for a connection"
                                            : "too many statements are waiting for a connection"));
    return false;
  }
  job->set_deadline(loop_.now() + settings_->options.wait_time_max);
  waiting_.push_back(std::move(job));
  loop_.defer(*this);  // statements of one turn are sent together
  return true;
}

/// Streams are counted separately, so that streams that wait for slow clients do not block
/// statements.
template <class D>
bool LoopSessions<D>::is_full_for(const Job& job) {
  const bool is_stream = job.opens_stream();
  const std::size_t queue_max = settings_->options.limits.queue_max;
  const std::size_t most = is_stream ? std::min(queue_max, kWaitingStreamsMax) : queue_max;
  if (waiting_.size() < most) {
    return false;
  }
  std::erase_if(waiting_, [](const auto& one) { return !one->is_awaited(); });
  const auto is_alike = [is_stream](const auto& one) { return one->opens_stream() == is_stream; };
  return count(waiting_, is_alike) >= most;
}

template <class D>
void LoopSessions<D>::go_on() {
  // In this order: a connection is opened only for a job that no free one has taken, and the timer
  // and the counts are those of the jobs that still wait.
  serve_queue();
  open_more();
  if (is_hopeless()) {
    refuse_until(Instant::max());
  }
  arm_timer();
  tell_counts();
}

template <class D>
void LoopSessions<D>::tell_counts() {
  if (counts_ != nullptr) {
    tell({.connections = count(sessions_, [](const auto& one) { return !one->is_connecting(); }),
          .busy = count(sessions_,
                        [](const auto& one) { return !one->is_connecting() && !one->is_free(); }),
          .waiting = waiting_.size()});
  }
}

template <class D>
void LoopSessions<D>::tell(const PoolState& now) noexcept {
  if (counts_ != nullptr) {
    counts_->add(now, std::exchange(told_, now));
  }
}

template <class D>
void LoopSessions<D>::serve_queue() {
  std::size_t i = 0;
  while (i < sessions_.size() && !waiting_.empty()) {
    const Session* const asked = sessions_[i].get();
    if (asked->is_free()) {
      serve(*sessions_[i]);
    }
    // A session that has ended was removed from the list, and another one has its index.
    i += i < sessions_.size() && sessions_[i].get() == asked ? 1 : 0;
  }
}

template <class D>
void LoopSessions<D>::on_free(Session& /*session*/) {
  why_.clear();
  pause_ = Duration(0);
  failures_ = 0;
  loop_.defer(*this);
}

template <class D>
void LoopSessions<D>::serve(Session& session) {
  while (session.is_free() && find_next() != waiting_.end() && session.is_there()) {
    std::unique_ptr<Job> job = take(find_next());
    job->set_sent(loop_.now());
    session.start(std::move(job));
  }
}

template <class D>
std::unique_ptr<Job> LoopSessions<D>::take(typename Waiting::iterator next) {
  std::unique_ptr<Job> job = std::move(*next);
  waiting_.erase(next);
  if constexpr (D::kBatchMax > 1) {
    job = form_batch(std::move(job));
  }
  return job;
}

/// Adds this connection's share of the waiting jobs that are known to be fast.
template <class D>
std::unique_ptr<Job> LoopSessions<D>::form_batch(std::unique_ptr<Job> first) {
  const auto is_free = [](const auto& session) { return session->is_free(); };
  const std::size_t free = std::max<std::size_t>(1, count(sessions_, is_free));
  const std::size_t share = waiting_.size() / free + 1;
  const std::size_t most = std::min(std::max(kBatchMin, share), D::kBatchMax);
  Duration cost = cost_of(*first);
  const auto has_next_behind = [&](std::size_t others) {
    drop_left();
    const Duration cost_max = others < share ? kTogetherTimeMax : kNotSpreadMax;
    return others < most && !waiting_.empty() && cost < cost_max &&
           cost_of(*waiting_.front()) < cost_max - cost;
  };
  if (!has_next_behind(1)) {
    return first;
  }
  auto group = std::make_unique<JobGroup>(costs_, most);
  group->add(std::move(first));
  while (has_next_behind(group->size())) {
    cost += cost_of(*waiting_.front());
    group->add(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return group;
}

template <class D>
Duration LoopSessions<D>::cost_of(const Job& job) noexcept {
  return job.is_alone() || job.opens_stream() ? Duration::max() : costs_.of(job.statement());
}

/// Drops abandoned jobs at the front.
template <class D>
void LoopSessions<D>::drop_left() {
  while (!waiting_.empty() && !waiting_.front()->is_awaited()) {
    waiting_.pop_front();
  }
}

/// Returns the first job that may start: streams are skipped while too many are open.
template <class D>
auto LoopSessions<D>::find_next() -> typename Waiting::iterator {
  drop_left();
  return std::ranges::find_if(waiting_, [this](const std::unique_ptr<Job>& job) {
    return job->is_awaited() && (!job->opens_stream() || may_stream());
  });
}

/// Limits streams, because a slow client may keep one for minutes.
template <class D>
bool LoopSessions<D>::may_stream() const {
  const auto& options = settings_->options;
  const std::size_t most = std::max<std::size_t>(1, options.connections_max - 1);
  const auto is_streaming = [](const auto& session) { return session->is_streaming(); };
  return count(sessions_, is_streaming) < std::clamp<std::size_t>(options.streams_max, 1, most);
}

template <class D>
void LoopSessions<D>::open_more() {
  while (may_open()) {
    // The call may already close the session.
    sessions_.push_back(std::make_unique<Session>(loop_, *this, *settings_));
    sessions_.back()->open();
  }
}

/// Opens one connection per waiting job; if the server could not be reached, one at a time.
template <class D>
bool LoopSessions<D>::may_open() const {
  if (sessions_.size() >= settings_->options.connections_max ||
      (pause_ != Duration(0) && loop_.now() < pause_end_)) {
    return false;
  }
  const auto is_connecting = [](const auto& session) { return session->is_connecting(); };
  const std::size_t opening = count(sessions_, is_connecting);
  const bool may_begin_streams = may_stream();
  const auto is_to_begin = [=](const std::unique_ptr<Job>& job) {
    return may_begin_streams || !job->opens_stream();
  };
  return opening < count(waiting_, is_to_begin) && (why_.empty() || opening == 0);
}

template <class D>
void LoopSessions<D>::on_finished(std::unique_ptr<Job> job) {
  const Duration took = loop_.now() - job->sent();
  JobGroup* const group = job->group();
  if (group == nullptr) {
    note_cost(*job, took);
    go_on_with(std::move(job));
  } else {
    group->end();
    for (std::unique_ptr<Job>& one : group->take()) {
      if (took > kHeldUp || !one->has_succeeded()) {
        costs_.forget(one->statement());  // each is measured alone again
      }
      go_on_with(std::move(one));
    }
  }
}

/// A statement that fails quickly is not a fast statement.
template <class D>
void LoopSessions<D>::note_cost(const Job& job, Duration took) {
  const std::string_view sql = job.statement();
  if (!job.has_succeeded()) {
    costs_.forget(sql);
  } else if (job.sent() != Instant() &&  // not set within a transaction
             (costs_.of(sql) != Duration::max() || D::may_go_together(sql))) {
    costs_.note(sql, took);
  }
}

template <class D>
void LoopSessions<D>::go_on_with(std::unique_ptr<Job> job) {
  finished_.push_back(std::move(job));
  loop_.defer(*this);
}

template <class D>
void LoopSessions<D>::on_returned(std::unique_ptr<Job> job) {
  if (JobGroup* const group = job->group()) {
    return give_back(*group);
  }
  job->begin_again();
  waiting_.push_front(std::move(job));
}

/// Jobs that were not executed are sent alone the next time, and are measured again. They get a new
/// deadline and move to the end, so that jobs with less time are before them.
template <class D>
void LoopSessions<D>::give_back(JobGroup& group) {
  for (std::unique_ptr<Job>& job : group.take()) {
    costs_.forget(job->statement());
    if (job->is_over()) {
      go_on_with(std::move(job));
    } else if (job->is_awaited()) {
      job->exclude_from_batching();
      job->begin_again();
      job->set_deadline(loop_.now() + settings_->options.wait_time_max);
      waiting_.push_back(std::move(job));
    }
  }
  loop_.defer(*this);
}

template <class D>
void LoopSessions<D>::on_closed(Session& session, std::string why) {
  const auto found = std::ranges::find_if(
      sessions_, [&session](const auto& one) { return one.get() == &session; });
  closed_.push_back(std::move(*found));
  sessions_.erase(found);
  if (!session.was_connected()) {
    note_no_connection(std::move(why), session.was_rejected());
  }
  loop_.defer(*this);
}

template <class D>
void LoopSessions<D>::note_no_connection(std::string why, bool is_rejected) {
  why_ = std::move(why);
  finder_.note_failure();
  pause_ = std::clamp(pause_ * 2, kPauseMin, kPauseMax);
  pause_end_ = loop_.now() + pause_;
  hand_over();
  // A server that is starting up will be available soon.
  const bool is_final = is_rejected || (is_impatient_ && !why_.contains("starting up"));
  failures_ = is_final ? failures_ + 1 : 0;
}

template <class D>
void LoopSessions<D>::hand_over() {
  if (fallback_ == nullptr) {
    return;
  }
  for (std::unique_ptr<Job>& job : std::exchange(waiting_, {})) {
    if (job->is_awaited() && !fallback_->take(job)) {
      go_on_with(std::move(job));
    }
  }
  arm_timer();
}

/// Resumes the coroutines of finished jobs, outside of the sessions' own calls.
template <class D>
void LoopSessions<D>::run() {
  closed_.clear();
  serve_queue();  // the server works on these while the coroutines run
  // Swapped, because the coroutines may add to `finished_`.
  std::swap(running_, finished_);
  for (std::unique_ptr<Job>& job : running_) {
    const std::shared_ptr<TransactionState> begun = job->begun();
    job->run();
    // If no caller took the transaction, destroying the job ends it, so notify its connection
    // afterwards.
    job.reset();
    if (begun != nullptr && begun->carrier() != nullptr) {
      begun->carrier()->on_changed();
    }
  }
  running_.clear();
  go_on();
  if (waiting_.empty() && finished_.empty() && closed_.empty()) {
    withdraw();  // new requests were already sent, so no turn is needed for them
  }
}

template <class D>
void LoopSessions<D>::expire() {
  refuse_until(loop_.now());
  go_on();
}

template <class D>
Failure LoopSessions<D>::lateness_of(const Job& job) const {
  const std::string server(D::kServer);
  if (!why_.empty()) {
    return {FailureKind::lost, "cannot connect to " + server + "; nothing was done: " + why_};
  }
  return {FailureKind::busy, job.opens_stream()
                                 ? "too many row streams are open"
                                 : "no connection to " + server + " was free in time"};
}

template <class D>
void LoopSessions<D>::refuse_until(Instant deadline) {
  for (drop_left(); !waiting_.empty() && waiting_.front()->deadline() <= deadline; drop_left()) {
    std::unique_ptr<Job> job = std::move(waiting_.front());
    waiting_.pop_front();
    job->refuse(lateness_of(*job));
    go_on_with(std::move(job));
  }
}

template <class D>
void LoopSessions<D>::arm_timer() noexcept {
  if (waiting_.empty()) {
    disarm();
    return;
  }
  Instant due = waiting_.front()->deadline();
  if (pause_ != Duration(0) && pause_end_ > loop_.now()) {
    due = std::min(due, pause_end_);
  }
  loop_.arm(*this, due);
}

}  // namespace eider::db
