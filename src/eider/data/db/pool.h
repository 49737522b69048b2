// Threads that wait for a database, so that no event loop blocks: one writer, several readers.
// Layering: must not queue more than its limit; further jobs are rejected.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "eider/core/base/resource_probe.h"
#include "eider/data/db/job.h"
#include "eider/data/db/meter.h"

namespace eider::db {

enum class Lane : std::uint8_t { reading, writing, streaming };

/// Whose SQL a database understands.
enum class Dialect : std::uint8_t { sqlite, postgres, mariadb };

/// Streams of rows that wait for a connection, beside the calls of `queue_max`: clients that read
/// slowly hold up other streams, and never statements.
inline constexpr std::size_t kWaitingStreamsMax = 64;

struct PoolLimits {
  /// Calls that wait for a connection; what comes on top fails as busy.
  std::size_t queue_max = 1024;
  /// A statement that runs for longer is interrupted.
  Duration statement_time_max = std::chrono::seconds(30);
  /// A transaction that stays open for longer is rolled back: the others wait for it.
  Duration transaction_time_max = std::chrono::seconds(10);
  /// A stream of rows that is open for longer fails: it keeps a connection, and what it reads.
  Duration stream_time_max = std::chrono::minutes(10);
  /// So does one that is not asked for its next rows for so long, as by a client that does not
  /// read.
  Duration stream_idle_max = std::chrono::minutes(1);
  /// For how long a stream waits for others to end, on SQLite; elsewhere it waits for a connection
  /// as statements do (`wait_time_max`).
  Duration stream_wait_max = std::chrono::seconds(5);
};

/// A begun transaction, or a stream of rows in or out, between the task that uses it and the
/// connection that it has. A session is a transaction whose statements may end it and go on.
class TransactionState : public std::enable_shared_from_this<TransactionState> {
 public:
  enum class Stage : std::uint8_t { open, over, expired, lost };
  enum class Use : std::uint8_t { transaction, stream, load, session };

  explicit TransactionState(Use use = Use::transaction) noexcept : use_(use) {}
  /// Its rows go one after the other, in either direction.
  [[nodiscard]] bool is_stream() const noexcept { return use_ == Use::stream || use_ == Use::load; }
  /// Into the database.
  [[nodiscard]] bool is_load() const noexcept { return use_ == Use::load; }
  /// Its statements may end what was begun, as each that changes a schema does on MariaDB.
  [[nodiscard]] bool is_session() const noexcept { return use_ == Use::session; }
  [[nodiscard]] Duration time_max(const PoolLimits& limits) const noexcept {
    return is_stream() ? limits.stream_time_max : limits.transaction_time_max;
  }
  /// For how long it may ask for nothing.
  [[nodiscard]] Duration idle_max(const PoolLimits& limits) const noexcept {
    return is_stream() ? limits.stream_idle_max : limits.transaction_time_max;
  }

  // From the loop.

  /// returns  false, with the job refused and left where it is, when the transaction is over
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job);
  /// Nothing more will come: rolled back unless it was committed.
  void leave() noexcept;
  /// The connection that it has on this loop; null for one that has a thread.
  [[nodiscard]] LoopConnection* carrier() const noexcept;
  void set_carrier(LoopConnection* carrier) noexcept;

  /// From any thread: that connection, if there is one, learns on its own loop that this has got a
  /// job or was left.
  void tell_carrier();

  // On the connection's thread, or on the loop.

  /// Waits for the next job; null when there will be none.
  [[nodiscard]] std::unique_ptr<Job> next(Instant deadline);
  /// The next job, or null when there is none at the moment.
  [[nodiscard]] std::unique_ptr<Job> try_next();
  /// Committed, rolled back or broken off: `next` gives nothing more, and what comes later is
  /// refused by what the first call said.
  void end(Stage how = Stage::over) noexcept;
  [[nodiscard]] bool is_over() const;
  /// Of a savepoint, or of a statement whose rows are read in pieces: no other one of this has it.
  /// From the loop.
  [[nodiscard]] std::uint64_t next_number() noexcept { return ++numbers_; }
  /// Ends it, and gives back what was not executed as refused.
  [[nodiscard]] std::deque<std::unique_ptr<Job>> close();

 private:
  static constexpr std::size_t kQueueMax = 16;

  void refuse_by_stage(Job& job) const noexcept;

  [[nodiscard]] std::unique_ptr<Job> take_front();

  const Use use_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Job>> jobs_;
  Stage stage_ = Stage::open;
  LoopConnection* carrier_ = nullptr;
  std::uint64_t numbers_ = 0;
  Loop* home_ = nullptr;  // of the carrier; there for as long as that is
  std::thread::id thread_;
};

/// connections  that there are
/// busy         of these: they are at work, or kept for a transaction or a stream
/// waiting      calls that wait for one
struct PoolState {
  std::size_t connections = 0;
  std::size_t busy = 0;
  std::size_t waiting = 0;
};

[[nodiscard]] ResourceState resource_of(std::string name, const PoolState& state);

/// A pool of connections, which runs jobs.
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  virtual ~Pool() = default;

  /// From any thread.
  [[nodiscard]] virtual PoolState state() const { return {}; }
  /// Counts the statements, once this is enabled.
  [[nodiscard]] Meter& meter() noexcept { return meter_; }

  /// returns  false, with the job refused and left where it is, when too much waits already
  [[nodiscard]] virtual bool submit(std::unique_ptr<Job>& job, Lane lane) = 0;
  /// Notes that no coroutine waits for the job any more, and its event loop may end. Called on the
  /// event loop of `job`.
  virtual void abandon(Job& job) noexcept = 0;
  /// From the loop: `transaction` has got a job, or was left.
  virtual void on_changed(TransactionState& transaction) = 0;
  [[nodiscard]] virtual Dialect dialect() const noexcept { return Dialect::sqlite; }
  /// Whether a stream of rows has to be given a connection of its own.
  [[nodiscard]] virtual bool has_connections_for_streams() const noexcept { return true; }
  /// Returns a pool that also runs statements that only read; null: no other pool.
  [[nodiscard]] virtual std::shared_ptr<Pool> replica() { return nullptr; }
  /// For how long that may take; nothing where `submit` sees to it.
  [[nodiscard]] virtual std::optional<Duration> stream_wait_max() const noexcept { return {}; }

 private:
  Meter meter_;
};

/// Connections, each on a thread of its own; what waits together shares a snapshot or a commit. The
/// threads begin with the first job: one that began ahead of serving would be held by no sandbox.
/// Must be destroyed on none of those.
class ThreadedPool final : public Pool {
 public:
  using Connections = std::vector<std::unique_ptr<Connection>>;

  /// readers  may be empty: then the writer reads too
  /// streams  for one stream of rows each at a time; may be empty: then it is kept by the writer
  /// name     for who is told of its state; not a secret
  ThreadedPool(std::unique_ptr<Connection> writer, Connections readers, PoolLimits limits,
               Connections streams = {}, std::string name = {});
  ~ThreadedPool() override;
  ThreadedPool(const ThreadedPool&) = delete;
  ThreadedPool& operator=(const ThreadedPool&) = delete;

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane lane) override;
  void abandon(Job& job) noexcept override;
  void on_changed(TransactionState& transaction) override;
  [[nodiscard]] std::optional<Duration> stream_wait_max() const noexcept override {
    return limits_.stream_wait_max;
  }
  [[nodiscard]] PoolState state() const override;

 private:
  /// One queue and those who wait for it.
  struct Queue {
    std::deque<std::unique_ptr<Job>> jobs;
    std::uint64_t taken_count = 0;
    std::condition_variable has_job;
  };
  /// A job by its number in its queue, and how many stood behind it when it was taken.
  struct Turn {
    std::unique_ptr<Job> job;
    std::uint64_t number = 0;
    std::uint64_t waiting_count = 0;
  };
  using Jobs = std::vector<std::unique_ptr<Job>>;

  /// A connection, and what its thread does.
  struct Served {
    std::unique_ptr<Connection> connection;
    void (ThreadedPool::*serve)(Connection&);
  };
  [[nodiscard]] bool start_threads() noexcept;
  void serve_reads(Connection& connection);
  void serve_writes(Connection& connection);
  void serve_streams(Connection& connection);
  void serve_transaction(TransactionState& transaction, Connection& connection);
  void execute_alone(std::unique_ptr<Job> job, Connection& connection);
  [[nodiscard]] std::size_t serve_group(std::span<std::unique_ptr<Job>> jobs,
                                        Connection& connection);
  [[nodiscard]] std::size_t execute_some(std::span<std::unique_ptr<Job>> jobs,
                                         Connection& connection) const;
  [[nodiscard]] Queue& queue_of(Lane lane) noexcept;
  [[nodiscard]] bool is_full(const Queue& queue);
  void drop_left(Queue& queue);
  [[nodiscard]] bool wait_for_job(std::unique_lock<std::mutex>& lock, Queue& queue);
  [[nodiscard]] static Turn take_front(Queue& queue);
  [[nodiscard]] Turn next(Queue& queue);
  [[nodiscard]] Turn try_next(Queue& queue);
  [[nodiscard]] Jobs next_group(Queue& queue, const Connection& connection);
  void pass_to_writer(std::unique_ptr<Job> job);
  void deliver(std::unique_ptr<Job> job);

  const PoolLimits limits_;
  const bool has_readers_;
  const bool has_streams_;
  mutable std::mutex mutex_;  // of the queues
  Queue reading_;
  Queue writing_;
  Queue streaming_;
  std::size_t idle_ = 0;  // threads that wait for a job
  bool is_stopped_ = false;
  std::mutex delivery_;  // a job is posted to its loop, or abandoned, but not both
  std::vector<Served> served_;
  std::vector<std::thread> threads_;             // one for each of them, from the first job on
  std::optional<ResourceProbe> resource_probe_;  // once all of them are there
};

}  // namespace eider::db
