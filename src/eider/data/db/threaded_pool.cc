#include "eider/data/db/threaded_pool.h"

#include <pthread.h>

#include <algorithm>
#include <string_view>
#include <system_error>

#include "eider/data/db/failure.h"
#include "eider/io/runtime/processors.h"
#include "eider/io/runtime/signals_blocked.h"

namespace eider::db {
namespace {

/// Jobs that share a snapshot or a commit.
constexpr std::size_t kGroupMax = 64;
/// The minimum number of reads after the current one for which a snapshot is worth its cost, which
/// is that of about one read. Other readers take some of them.
constexpr std::uint64_t kWaitingMin = 12;
/// Maximum time for which an executed change waits for others before the commit.
constexpr Duration kGroupTimeMax = std::chrono::milliseconds(2);

/// Returns whether `text` begins with that word, in lower or upper case.
bool begins_with(std::string_view text, std::string_view word) noexcept {
  if (text.size() <= word.size()) {
    return false;
  }
  const auto is_same = [](char one, char other) { return (one | 0x20) == other; };
  return std::equal(word.begin(), word.end(), text.begin(), is_same);
}

/// Returns whether the statement only reads or changes rows. Other statements may begin, end or
/// forbid a transaction (commit, vacuum, pragma).
bool may_share(const Job& job) noexcept {
  std::string_view text = job.statement();
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
  constexpr std::string_view kWords[] = {"select", "insert", "update", "delete",
                                         "with",   "values", "replace"};
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return begins_with(text, word); });
}

bool try_commit(Connection& connection) noexcept {
  try {
    connection.commit();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

ThreadedPool::ThreadedPool(std::unique_ptr<Connection> writer, Connections readers,
                           PoolLimits limits, Connections streams, std::string name)
    : limits_(limits), has_readers_(!readers.empty()), has_streams_(!streams.empty()) {
  served_.push_back({std::move(writer), &ThreadedPool::serve_writes});
  for (std::unique_ptr<Connection>& reader : readers) {
    served_.push_back({std::move(reader), &ThreadedPool::serve_reads});
  }
  for (std::unique_ptr<Connection>& stream : streams) {
    served_.push_back({std::move(stream), &ThreadedPool::serve_streams});
  }
  threads_.reserve(served_.size());
  resource_probe_.emplace([this, its = std::move(name)] { return resource_of(its, state()); });
}

ThreadedPool::~ThreadedPool() {
  resource_probe_.reset();
  {
    const std::unique_lock lock(mutex_);
    is_stopped_ = true;
  }
  reading_.has_job.notify_all();
  writing_.has_job.notify_all();
  streaming_.has_job.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

/// Pre: the lock is held.
///
/// returns  whether all threads run; the next job tries to start the missing ones
bool ThreadedPool::start_threads() noexcept try {
  const SignalsBlocked blocked;
  // The loop of the first job may be pinned to one processor.
  const eider::detail::runtime::OnAllProcessors unpinned;
  while (threads_.size() < served_.size()) {
    const Served& next = served_[threads_.size()];
    threads_.emplace_back([this, &next] { (this->*next.serve)(*next.connection); });
    pthread_setname_np(threads_.back().native_handle(), "eider-db");
  }
  return true;
} catch (const std::system_error&) {
  return false;
}

PoolState ThreadedPool::state() const {
  const std::unique_lock lock(mutex_);
  const std::size_t count = threads_.size();
  return {.connections = served_.size(),
          .busy = count - std::min(idle_, count),
          .waiting = reading_.jobs.size() + writing_.jobs.size() + streaming_.jobs.size()};
}

bool ThreadedPool::submit(std::unique_ptr<Job>& job, Lane lane) {
  const std::unique_lock lock(mutex_);
  Queue& queue = queue_of(lane);
  if (is_full(queue)) {
    job->refuse(
        Failure(FailureKind::busy, lane == Lane::streaming
                                       ? "too many row streams are waiting for a connection"
                                       : "too many statements are waiting for a connection"));
    return false;
  }
  if (threads_.size() < served_.size() && !start_threads()) {
    job->refuse(Failure(FailureKind::busy, "cannot start a thread for a connection"));
    return false;
  }
  queue.jobs.push_back(std::move(job));
  queue.has_job.notify_one();
  return true;
}

ThreadedPool::Queue& ThreadedPool::queue_of(Lane lane) noexcept {
  switch (lane) {
    case Lane::reading:
      return has_readers_ ? reading_ : writing_;
    case Lane::streaming:
      return has_streams_ ? streaming_ : writing_;
    case Lane::writing:
      break;
  }
  return writing_;
}

/// Streams are counted separately, so that streams that wait for slow clients do not block
/// statements.
bool ThreadedPool::is_full(const Queue& queue) {
  if (&queue == &streaming_) {
    const std::size_t most = std::min(limits_.queue_max, kWaitingStreamsMax);
    if (streaming_.jobs.size() >= most) {
      drop_left(streaming_);
    }
    return streaming_.jobs.size() >= most;
  }
  const auto count = [this] { return reading_.jobs.size() + writing_.jobs.size(); };
  if (count() >= limits_.queue_max) {
    drop_left(reading_);
    drop_left(writing_);
  }
  return count() >= limits_.queue_max;
}

/// Removes abandoned jobs. They keep their numbers, so that later jobs do not read a snapshot that
/// is older than themselves.
void ThreadedPool::drop_left(Queue& queue) {
  const std::unique_lock lock(delivery_);
  queue.taken_count +=
      std::erase_if(queue.jobs, [](const auto& job) { return job->is_abandoned(); });
}

void ThreadedPool::abandon(Job& job) noexcept {
  const std::unique_lock lock(delivery_);
  job.abandon();
}

// Nothing to do: the connection's thread waits on the transaction itself.
void ThreadedPool::on_changed(TransactionState& /*transaction*/) {}

// A job that is awaited keeps the pool alive, so all jobs that are queued at the end are abandoned.
bool ThreadedPool::wait_for_job(std::unique_lock<std::mutex>& lock, Queue& queue) {
  ++idle_;
  queue.has_job.wait(lock, [&] { return !queue.jobs.empty() || is_stopped_; });
  --idle_;
  return !is_stopped_;
}

ThreadedPool::Turn ThreadedPool::take_front(Queue& queue) {
  Turn turn{std::move(queue.jobs.front()), queue.taken_count++, queue.jobs.size() - 1};
  queue.jobs.pop_front();
  return turn;
}

ThreadedPool::Turn ThreadedPool::next(Queue& queue) {
  std::unique_lock lock(mutex_);
  return wait_for_job(lock, queue) ? take_front(queue) : Turn();
}

ThreadedPool::Turn ThreadedPool::try_next(Queue& queue) {
  const std::unique_lock lock(mutex_);
  return queue.jobs.empty() || is_stopped_ ? Turn() : take_front(queue);
}

/// Returns the first waiting job, and the following ones that may share its transaction, in order.
ThreadedPool::Jobs ThreadedPool::next_group(Queue& queue, const Connection& connection) {
  Jobs group;
  std::unique_lock lock(mutex_);
  if (!wait_for_job(lock, queue)) {
    return group;
  }
  group.push_back(take_front(queue).job);
  if (connection.can_share() && may_share(*group.front())) {
    while (group.size() < kGroupMax && !queue.jobs.empty() && may_share(*queue.jobs.front())) {
      group.push_back(take_front(queue).job);
    }
  }
  return group;
}

// A read in a snapshot must have been requested before the snapshot began, so that a caller that
// has awaited a change sees it. So a snapshot ends with the last read that waited when it began. A
// slow read blocks no later one, because the other readers execute those.
void ThreadedPool::serve_reads(Connection& connection) {
  // Jobs with lower numbers read the open snapshot; 0: none is open.
  std::uint64_t shared_until = 0;
  while (true) {
    Turn turn = shared_until != 0 ? try_next(reading_) : Turn();
    if (turn.job == nullptr) {
      // No snapshot stays open while the thread sleeps, because the log could not be reused.
      connection.roll_back();
      shared_until = 0;
      turn = next(reading_);
    }
    if (turn.job == nullptr) {
      return;
    }
    const bool is_sharing = may_share(*turn.job);
    if (!is_sharing || turn.number >= shared_until) {
      connection.roll_back();
      const bool is_begun =
          is_sharing && turn.waiting_count >= kWaitingMin && connection.begin_reading();
      const std::uint64_t count = std::min<std::uint64_t>(turn.waiting_count + 1, kGroupMax);
      shared_until = is_begun ? turn.number + count : 0;
    }
    switch (turn.job->execute(connection, limits_.statement_time_max)) {
      case Job::Outcome::done:
        deliver(std::move(turn.job));
        break;
      case Job::Outcome::needs_writer:
        pass_to_writer(std::move(turn.job));
        break;
    }
  }
}

// It was accepted already, so the limit is not checked again.
void ThreadedPool::pass_to_writer(std::unique_ptr<Job> job) {
  const std::unique_lock lock(mutex_);
  writing_.jobs.push_back(std::move(job));
  writing_.has_job.notify_one();
}

void ThreadedPool::serve_writes(Connection& connection) {
  for (Jobs jobs = next_group(writing_, connection); !jobs.empty();
       jobs = next_group(writing_, connection)) {
    std::span<std::unique_ptr<Job>> left = jobs;
    while (left.size() > 1) {
      left = left.subspan(serve_group(left, connection));
    }
    if (!left.empty()) {
      execute_alone(std::move(left.front()), connection);
    }
  }
}

void ThreadedPool::serve_streams(Connection& connection) {
  for (Turn turn = next(streaming_); turn.job != nullptr; turn = next(streaming_)) {
    execute_alone(std::move(turn.job), connection);
  }
}

void ThreadedPool::execute_alone(std::unique_ptr<Job> job, Connection& connection) {
  // A writer never returns needs_writer.
  (void)job->execute(connection, limits_.statement_time_max);
  const std::shared_ptr<TransactionState> transaction = job->begun();
  deliver(std::move(job));
  if (transaction != nullptr) {
    serve_transaction(*transaction, connection);
  }
}

/// Executes jobs that waited together with one commit. No caller is notified before it. A statement
/// that fails is rolled back alone. If the whole transaction fails (an interrupted statement, a
/// full disk, a deferred constraint), each job is executed again alone, so that none fails because
/// of another.
///
/// returns  number of jobs at the front that were executed
std::size_t ThreadedPool::serve_group(std::span<std::unique_ptr<Job>> jobs,
                                      Connection& connection) {
  try {
    connection.begin_sharing();
  } catch (...) {  // another process writes for too long: all jobs have waited for it
    for (std::unique_ptr<Job>& job : jobs) {
      job->fail(std::current_exception());
      deliver(std::move(job));
    }
    return jobs.size();
  }
  const std::size_t count = execute_some(jobs, connection);
  const bool stands = connection.may_commit();
  if (!stands || !try_commit(connection)) {
    connection.roll_back();
    // If the transaction cannot be committed, its last statement is the cause: it would only fail
    // again in the same way. The others run again, because a constraint may have rejected them due
    // to a row that does not exist any more.
    const bool has_loser = !stands && !jobs[count - 1]->has_succeeded();
    for (const std::unique_ptr<Job>& job : jobs.first(has_loser ? count - 1 : count)) {
      (void)job->execute(connection, limits_.statement_time_max);
    }
  }
  for (std::unique_ptr<Job>& job : jobs.first(count)) {
    deliver(std::move(job));
  }
  return count;
}

/// Executes as many jobs as there is time for, so that the first does not wait long for the last.
///
/// returns  their number, at least one; stops if the transaction cannot be committed
std::size_t ThreadedPool::execute_some(std::span<std::unique_ptr<Job>> jobs,
                                       Connection& connection) const {
  const Instant end = std::chrono::steady_clock::now() + kGroupTimeMax;
  std::size_t count = 0;
  do {
    (void)jobs[count++]->execute(connection, limits_.statement_time_max);
  } while (count < jobs.size() && connection.may_commit() &&
           std::chrono::steady_clock::now() < end);
  return count;
}

void ThreadedPool::serve_transaction(TransactionState& transaction, Connection& connection) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const Instant end = now() + transaction.time_max(limits_);
  const Duration idle_max = transaction.idle_max(limits_);
  while (std::unique_ptr<Job> job = transaction.next(std::min(end, now() + idle_max))) {
    (void)job->execute(connection, limits_.statement_time_max);
    deliver(std::move(job));
  }
  connection.close_cursors();
  connection.roll_back();
  for (std::unique_ptr<Job>& job : transaction.close()) {
    deliver(std::move(job));
  }
}

void ThreadedPool::deliver(std::unique_ptr<Job> job) {
  std::unique_lock lock(delivery_);
  if (job->is_awaited()) {
    Loop& loop = job->loop();
    loop.post(std::unique_ptr<Posted>(std::move(job)));
  } else {
    lock.unlock();  // destroying the result may take long
    job.reset();
  }
}

}  // namespace eider::db
