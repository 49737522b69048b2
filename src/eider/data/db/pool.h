// A pool of connections to a database, its limits, and its open transactions.
// Layering: must not know a driver.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "eider/core/base/resource_probe.h"
#include "eider/data/db/job.h"
#include "eider/data/db/meter.h"
#include "eider/io/runtime/task.h"

namespace eider::db {

enum class Lane : std::uint8_t { reading, writing, streaming };

/// The SQL dialect of a database.
enum class Dialect : std::uint8_t { sqlite, postgres, mariadb };

/// Maximum number of row streams that wait for a connection, in addition to the calls of
/// `queue_max`: clients that read slowly delay other streams, but never statements.
inline constexpr std::size_t kWaitingStreamsMax = 64;

struct PoolLimits {
  /// Maximum number of calls that wait for a connection; more fail as busy.
  std::size_t queue_max = 1024;
  /// A statement that runs longer is interrupted.
  Duration statement_time_max = std::chrono::seconds(30);
  /// A transaction that stays open longer is rolled back, because others wait for it.
  Duration transaction_time_max = std::chrono::seconds(10);
  /// A row stream that is open longer fails, because it occupies a connection and its snapshot.
  Duration stream_time_max = std::chrono::minutes(10);
  /// A row stream whose next rows are not requested for this time fails, for example if a client
  /// does not read.
  Duration stream_idle_max = std::chrono::minutes(1);
  /// Maximum time for which a stream waits for others to end, with SQLite; with other databases, it
  /// waits for a connection like statements (`wait_time_max`).
  Duration stream_wait_max = std::chrono::seconds(5);
};

/// An open transaction, or a stream of rows in or out. It links the task that uses it with its
/// connection. A session is a transaction whose statements may end it and continue.
class TransactionState : public std::enable_shared_from_this<TransactionState> {
 public:
  enum class Stage : std::uint8_t { open, over, expired, lost };
  enum class Use : std::uint8_t { transaction, stream, load, session };

  explicit TransactionState(Use use = Use::transaction) noexcept : use_(use) {}
  /// Returns whether rows are transferred one by one, in either direction.
  [[nodiscard]] bool is_stream() const noexcept { return use_ == Use::stream || use_ == Use::load; }
  /// Returns whether the rows go into the database.
  [[nodiscard]] bool is_load() const noexcept { return use_ == Use::load; }
  /// Returns whether its statements may end the transaction, as each schema change does in MariaDB.
  [[nodiscard]] bool is_session() const noexcept { return use_ == Use::session; }
  [[nodiscard]] Duration time_max(const PoolLimits& limits) const noexcept {
    return is_stream() ? limits.stream_time_max : limits.transaction_time_max;
  }
  /// Returns the maximum time without a new job.
  [[nodiscard]] Duration idle_max(const PoolLimits& limits) const noexcept {
    return is_stream() ? limits.stream_idle_max : limits.transaction_time_max;
  }

  // Called on the event loop.

  /// returns  false, with the job rejected and not moved, if the transaction is over
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job);
  /// Called when no more jobs follow: it is rolled back, unless it was committed.
  void leave() noexcept;
  /// Returns its connection on this loop; null if the connection has a thread.
  [[nodiscard]] LoopConnection* carrier() const noexcept;
  void set_carrier(LoopConnection* carrier) noexcept;

  /// From any thread: notifies the connection, if there is one, on its own loop, that this has a
  /// new job or has ended.
  void tell_carrier();

  // Called on the connection's thread, or on the loop.

  /// Waits for the next job; returns null if there will be none.
  [[nodiscard]] std::unique_ptr<Job> next(Instant deadline);
  /// Returns the next job, or null if there is none at the moment.
  [[nodiscard]] std::unique_ptr<Job> try_next();
  /// Called when it was committed, rolled back or aborted: `next` returns no more jobs, and later
  /// ones are rejected. The first call determines the reason.
  void end(Stage how = Stage::over) noexcept;
  [[nodiscard]] bool is_over() const;
  /// Returns a number for a savepoint, or for a statement whose rows are read in pieces; unique in
  /// this transaction. Called on the event loop.
  [[nodiscard]] std::uint64_t next_number() noexcept { return ++numbers_; }
  /// Ends it, and returns the jobs that were not executed, as rejected.
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
  Loop* home_ = nullptr;  // of the carrier; exists as long as the carrier
  std::thread::id thread_;
};

/// connections  all connections
/// busy         those that work, or are reserved for a transaction or a stream
/// waiting      calls that wait for a connection
struct PoolState {
  std::size_t connections = 0;
  std::size_t busy = 0;
  std::size_t waiting = 0;
};

[[nodiscard]] ResourceState resource_of(std::string name, const PoolState& state);

/// The notifications of a channel, without their payloads. On one event loop.
class Notices {
 public:
  Notices() = default;
  Notices(const Notices&) = delete;
  Notices& operator=(const Notices&) = delete;
  virtual ~Notices() = default;

  /// Waits for a notification. The first call returns when the server listens; calls also return
  /// after a gap, in which notifications may have been missed.
  ///
  /// errors  throws db::Failure: make another one after a pause
  [[nodiscard]] virtual Task<> next() = 0;
};

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

  /// returns  false, with the job rejected and not moved, if too many wait
  [[nodiscard]] virtual bool submit(std::unique_ptr<Job>& job, Lane lane) = 0;
  /// Notes that no coroutine waits for the job any more, and its event loop may end. Called on the
  /// event loop of `job`.
  virtual void abandon(Job& job) noexcept = 0;
  /// Called on the event loop: `transaction` has a new job or has ended.
  virtual void on_changed(TransactionState& transaction) = 0;
  [[nodiscard]] virtual Dialect dialect() const noexcept { return Dialect::sqlite; }
  /// Returns whether a row stream needs its own connection.
  [[nodiscard]] virtual bool has_connections_for_streams() const noexcept { return true; }
  /// Returns a pool that also runs statements that only read; null: no other pool.
  [[nodiscard]] virtual std::shared_ptr<Pool> replica() { return nullptr; }
  /// Returns the maximum wait for a stream's connection; nothing if `submit` limits it.
  [[nodiscard]] virtual std::optional<Duration> stream_wait_max() const noexcept { return {}; }
  /// Returns the number of connections for transactions on each event loop; 1: the only writer.
  [[nodiscard]] virtual std::size_t connections_max() const noexcept { return 1; }
  /// Returns the notifications of a channel on this event loop; null: the database sends none.
  [[nodiscard]] virtual std::unique_ptr<Notices> notices(const std::string& /*channel*/) {
    return nullptr;
  }
  /// For this event loop. While it is set, waiting statements fail if the server cannot be reached.
  virtual void set_impatient(bool /*is_impatient*/) {}

 private:
  Meter meter_;
};

/// Makes statements fail during its lifetime if there is no connection: for startup. While requests
/// are served, statements wait for a server that restarts.
class Impatient {
 public:
  explicit Impatient(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {
    pool_->set_impatient(true);
  }
  ~Impatient() { pool_->set_impatient(false); }
  Impatient(const Impatient&) = delete;
  Impatient& operator=(const Impatient&) = delete;

 private:
  std::shared_ptr<Pool> pool_;
};

}  // namespace eider::db
