// Threads that wait for a database, so that no event loop blocks: one writer, several readers.
// Layering: must not queue more than its limit; further jobs are rejected.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
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
#include "eider/data/db/pool.h"

namespace eider::db {

/// Connections, each with its own thread; jobs that wait together share a snapshot or a commit. The
/// threads start with the first job: if they started before serving, the sandbox would not include
/// them. Must not be destroyed on one of these threads.
class ThreadedPool final : public Pool {
 public:
  using Connections = std::vector<std::unique_ptr<Connection>>;

  /// readers  may be empty: then the writer also reads
  /// streams  for one row stream each at a time; may be empty: then the writer is used
  /// name     shown in reports of its state; must not be secret
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
  /// One queue and the threads that wait for it.
  struct Queue {
    std::deque<std::unique_ptr<Job>> jobs;
    std::uint64_t taken_count = 0;
    std::condition_variable has_job;
  };
  /// A job, its number in the queue, and how many jobs waited after it when it was taken.
  struct Turn {
    std::unique_ptr<Job> job;
    std::uint64_t number = 0;
    std::uint64_t waiting_count = 0;
  };
  using Jobs = std::vector<std::unique_ptr<Job>>;

  /// A connection, and the function of its thread.
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
  mutable std::mutex mutex_;  // locks the queues
  Queue reading_;
  Queue writing_;
  Queue streaming_;
  std::size_t idle_ = 0;  // threads that wait for a job
  bool is_stopped_ = false;
  std::mutex delivery_;  // a job is either posted to its loop or abandoned, not both
  std::vector<Served> served_;
  std::vector<std::thread> threads_;             // one for each of them, started with the first job
  std::optional<ResourceProbe> resource_probe_;  // set when all of them are complete
};

}  // namespace eider::db
