// A bounded pool of threads that run argon2, with a bounded queue.
// Layering: must not keep work of requests whose clients disconnected.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "eider/auth/passwords/argon2_hash.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"

namespace eider::detail::passwords {

/// One argon2 computation that is passed to a thread and back to the waiting event loop. It is
/// owned by its awaiter, then by the pool, then by the loop. It makes the only copy of the
/// password, never moves it (moving a short string leaves the characters in the old object), and
/// overwrites it before the memory is freed.
class Derivation final : public Posted {
 public:
  /// like  variant, cost, salt, and size of the tag
  Derivation(std::string_view password, Argon2Hash like);
  ~Derivation() override;

  // On the event loop.

  /// `waiting` resumes when this comes back. `holder` points to this object until it is destroyed.
  void wait(Loop& loop, std::coroutine_handle<> waiting, Derivation*& holder) noexcept;
  /// The result is no longer awaited. Must not run concurrently with `is_awaited`; DerivationPool
  /// ensures that.
  void abandon() noexcept;
  void run() override;
  /// Returns nothing if it did not run, or if memory was short.
  [[nodiscard]] const std::optional<std::string>& tag() const noexcept { return tag_; }

  // On a thread of the pool.

  void execute() noexcept;
  /// For a pool without threads: `run` executes the computation first.
  void execute_in_run() noexcept { executes_in_run_ = true; }
  [[nodiscard]] bool is_awaited() const noexcept { return waiting_.is_there(); }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }

 private:
  std::string password_;
  Argon2Hash like_;
  std::optional<std::string> tag_;
  Loop* loop_ = nullptr;
  runtime::Suspended waiting_;
  Derivation** holder_ = nullptr;
  bool executes_in_run_ = false;
};

}  // namespace eider::detail::passwords

namespace eider {

/// Counters of password hashing.
struct PasswordCounts {
  /// Started runs of argon2.
  std::uint64_t started = 0;
  /// Calls that were rejected because too many waited.
  std::uint64_t rejected = 0;
  /// Calls that were removed from the queue because their tasks were destroyed.
  std::uint64_t abandoned = 0;
  std::size_t queued = 0;
};

namespace detail::passwords {

/// threads    0: the calling loop runs the work, in a later iteration: for tests
/// queue_max  maximum number of computations that wait for a thread
struct PoolLimits {
  unsigned threads;
  std::size_t queue_max;
};

/// Returns one per core, up to a limit: a container does not know its share of the machine's cores,
/// and each thread uses the memory of a hash.
[[nodiscard]] constexpr unsigned threads_for(unsigned cores) noexcept {
  constexpr unsigned kThreadsMax = 8;
  return std::clamp(cores, 1U, kThreadsMax);
}

/// Thread-safe. Awaited work keeps it alive.
class DerivationPool {
 public:
  using Execute = std::function<void(Derivation&)>;

  /// Threads have a lower priority (nice 10), so that responses take precedence if there are few
  /// cores.
  ///
  /// If the system cannot start all threads, fewer are used. Throws a Failure if it cannot start
  /// any.
  ///
  /// execute  replaces argon2 in tests
  explicit DerivationPool(PoolLimits limits, Execute execute = &Derivation::execute);
  ~DerivationPool();
  DerivationPool(const DerivationPool&) = delete;
  DerivationPool& operator=(const DerivationPool&) = delete;

  /// returns  false, without moving `work`, if too many wait
  [[nodiscard]] bool submit(std::unique_ptr<Derivation>& work);
  /// The result is no longer awaited: removes queued work.
  void abandon(Derivation& work) noexcept;
  [[nodiscard]] PasswordCounts counts() const;

 private:
  void start_threads();
  void serve();
  [[nodiscard]] std::unique_ptr<Derivation> next();
  void deliver(std::unique_ptr<Derivation> work);

  const PoolLimits limits_;
  const Execute execute_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::unique_ptr<Derivation>> queue_;
  PasswordCounts counts_;
  unsigned idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

/// Returns the tag from `co_await`; nothing if too many wait, or memory is short.
class DerivationAwaiter {
 public:
  DerivationAwaiter(DerivationPool& pool, std::unique_ptr<Derivation> work) noexcept
      : pool_(pool), work_(std::move(work)) {}
  DerivationAwaiter(const DerivationAwaiter&) = delete;
  DerivationAwaiter& operator=(const DerivationAwaiter&) = delete;
  ~DerivationAwaiter() {
    if (submitted_ != nullptr) {
      pool_.abandon(*submitted_);
    }
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    work_->wait(Loop::current(), waiting, submitted_);
    return pool_.submit(work_);
  }
  std::optional<std::string> await_resume() { return submitted_->tag(); }

 private:
  DerivationPool& pool_;
  std::unique_ptr<Derivation> work_;
  Derivation* submitted_ = nullptr;  // owned by the pool, then by the resuming loop
};

}  // namespace detail::passwords

}  // namespace eider
