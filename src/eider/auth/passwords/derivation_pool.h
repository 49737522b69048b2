// A bounded pool of threads that run argon2, with a bounded queue.
// Layering: must not keep work of requests whose clients disconnected.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eider/auth/passwords/argon2_hash.h"
#include "eider/io/runtime/job_threads.h"

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

/// One argon2 computation. It makes the only copy of the password, never moves it (moving a short
/// string leaves the characters in the old object), and overwrites it before the memory is freed.
class Derivation final : public runtime::ThreadJob {
 public:
  /// like  variant, cost, salt, and size of the tag
  Derivation(std::string_view password, Argon2Hash like);
  ~Derivation() override;

  void execute() noexcept override;
  /// Returns the tag; nothing if it did not run, or if memory was short.
  [[nodiscard]] const std::optional<std::string>& result() const noexcept { return tag_; }

 private:
  std::string password_;
  Argon2Hash like_;
  std::optional<std::string> tag_;
};

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
class DerivationPool : public runtime::JobThreads {
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

  [[nodiscard]] PasswordCounts counts() const;
};

/// Returns the tag from `co_await`; nothing if too many wait, or memory is short.
using DerivationAwaiter = runtime::JobAwaiter<Derivation>;

}  // namespace detail::passwords

}  // namespace eider
