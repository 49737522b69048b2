// The threads that wait for a database so that no loop has to: one writes, the others read.
// Must not let more wait than its limit: what comes on top is refused at once.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "eider/db/job.h"

namespace eider::db {

enum class Lane : std::uint8_t { reading, writing };

struct PoolLimits {
  /// Calls that wait for a connection; what comes on top fails as busy.
  std::size_t queue_max = 1024;
  /// A statement that runs for longer is interrupted.
  Duration statement_time_max = std::chrono::seconds(30);
  /// A transaction that stays open for longer is rolled back: the others wait for it.
  Duration transaction_time_max = std::chrono::seconds(10);
};

/// A begun transaction, between the task that uses it and the thread whose connection it has.
class TransactionState {
 public:
  // From the loop.

  /// returns  false, with the job refused and left where it is, when the transaction is over
  [[nodiscard]] bool submit(std::unique_ptr<Job>& job);
  /// Nothing more will come: rolled back unless it was committed.
  void leave() noexcept;

  // On the connection's thread.

  /// Waits for the next job; null when there will be none.
  [[nodiscard]] std::unique_ptr<Job> next(Instant deadline);
  /// The next job, or null when there is none at the moment.
  [[nodiscard]] std::unique_ptr<Job> try_next();
  /// Committed or rolled back: `next` gives nothing more.
  void end() noexcept;
  [[nodiscard]] bool is_over() const;
  /// Ends it, and gives back what was not executed as refused.
  [[nodiscard]] std::deque<std::unique_ptr<Job>> close();

 private:
  enum class Stage : std::uint8_t { open, over, expired };
  static constexpr std::size_t kQueueMax = 16;

  void refuse_by_stage(Job& job) const noexcept;

  [[nodiscard]] std::unique_ptr<Job> take_front();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Job>> jobs_;
  Stage stage_ = Stage::open;
};

/// Where jobs meet connections.
class Pool {
 public:
  virtual ~Pool() = default;

  /// returns  false, with the job refused and left where it is, when too much waits already
  [[nodiscard]] virtual bool submit(std::unique_ptr<Job>& job, Lane lane) = 0;
  /// From the loop of `job`: nobody waits for it any more, and its loop may go.
  virtual void abandon(Job& job) noexcept = 0;
  /// From the loop: `transaction` has got a job, or was left.
  virtual void on_changed(TransactionState& transaction) = 0;
};

/// Connections, each on a thread of its own. Must be destroyed on none of those.
class ThreadedPool final : public Pool {
 public:
  /// readers  may be empty: then the writer reads too
  ThreadedPool(std::unique_ptr<Connection> writer, std::vector<std::unique_ptr<Connection>> readers,
               PoolLimits limits);
  ~ThreadedPool() override;
  ThreadedPool(const ThreadedPool&) = delete;
  ThreadedPool& operator=(const ThreadedPool&) = delete;

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane lane) override;
  void abandon(Job& job) noexcept override;
  void on_changed(TransactionState& transaction) override;

 private:
  /// One queue and those who wait for it.
  struct Queue {
    std::deque<std::unique_ptr<Job>> jobs;
    std::condition_variable has_job;
  };

  void start(void (ThreadedPool::*serve)(Connection&), std::unique_ptr<Connection> connection);
  void serve_reads(Connection& connection);
  void serve_writes(Connection& connection);
  void serve_transaction(TransactionState& transaction, Connection& connection);
  [[nodiscard]] std::unique_ptr<Job> next(Queue& queue);
  void pass_to_writer(std::unique_ptr<Job> job);
  void deliver(std::unique_ptr<Job> job);

  const PoolLimits limits_;
  const bool has_readers_;
  std::mutex mutex_;  // of the queues
  Queue reading_;
  Queue writing_;
  bool is_stopped_ = false;
  std::mutex delivery_;  // a job is posted to its loop, or abandoned, but not both
  std::vector<std::thread> threads_;
};

}  // namespace eider::db
