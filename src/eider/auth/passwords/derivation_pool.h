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

/// One argon2 computation on its way to a thread and back to the waiting event loop. Owned by its
/// awaiter, then by the pool, then by its loop. It makes the one copy of the password, never moves
/// it (a short text would stay behind), and overwrites it before it gives it back.
class Derivation final : public Posted {
 public:
  /// like  variant, cost, salt, and the size of the tag
  Derivation(std::string_view password, Argon2Hash like);
  ~Derivation() override;

  // On the loop.

  /// `waiting` goes on when this comes back. `holder` points here until it is destroyed.
  void wait(Loop& loop, std::coroutine_handle<> waiting, Derivation*& holder) noexcept;
  /// Nobody waits any more. Not at the same time as `is_awaited` (DerivationPool sees to that).
  void abandon() noexcept;
  void run() override;
  /// Nothing when it was never run, or there was no memory for it.
  [[nodiscard]] const std::optional<std::string>& tag() const noexcept { return tag_; }

  // On a thread of the pool.

  void execute() noexcept;
  /// In a pool without threads: `run` executes first.
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

/// threads    0: work runs on the loop that asks, in a later turn: for tests
/// queue_max  of what waits for a thread
struct PoolLimits {
  unsigned threads;
  std::size_t queue_max;
};

/// One for each core. Not all of many, since a container has a share of its machine's and is not
/// told which, and each takes the memory of a hash.
[[nodiscard]] constexpr unsigned threads_for(unsigned cores) noexcept {
  constexpr unsigned kThreadsMax = 8;
  return std::clamp(cores, 1U, kThreadsMax);
}

/// All of it may be used from any thread. What is still awaited keeps it alive.
class DerivationPool {
 public:
  using Execute = std::function<void(Derivation&)>;

  /// Its threads yield to others (nice 10), so that answers go ahead of hashes where cores are few.
  ///
  /// Where the system has fewer threads to give, these do. Throws a Failure where it has none.
  ///
  /// execute  in place of argon2, for tests
  explicit DerivationPool(PoolLimits limits, Execute execute = &Derivation::execute);
  ~DerivationPool();
  DerivationPool(const DerivationPool&) = delete;
  DerivationPool& operator=(const DerivationPool&) = delete;

  /// returns  false, and leaves `work` where it is, when too many wait
  [[nodiscard]] bool submit(std::unique_ptr<Derivation>& work);
  /// Nobody waits for it any more: what is queued is destroyed.
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

/// Gives the tag to `co_await`: nothing when too many wait, or there is no memory.
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
  Derivation* submitted_ = nullptr;  // belongs to the pool, then to the loop while it resumes us
};

}  // namespace detail::passwords

}  // namespace eider
