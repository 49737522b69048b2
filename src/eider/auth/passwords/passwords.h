// Passwords that are stored and looked at: argon2id, on threads of its own.
// Must not decide who may try how often: that is LoginThrottle's (middleware/login_throttle.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/auth/passwords/argon2_hash.h"
#include "eider/auth/passwords/derivation_pool.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"

namespace eider {

struct PasswordOptions {
  Argon2Cost cost = {};
  /// Longer ones cannot be stored and match nothing. Bytes, not characters.
  std::size_t password_bytes_max = 1024;
  /// What a stored string may ask for at most: another program may have written it, or somebody
  /// who wants 4 GiB to be used. `cost` may be dearer. The default is what is common elsewhere.
  Argon2Cost stored_cost_max = {.memory_kib = 64 * 1024, .passes = 4, .lanes = 4};
  /// How many run at once, each in the memory of its cost; nothing: one for each core, up to 8. 0
  /// makes each run on the loop that asks, for tests on simulated time.
  std::optional<unsigned> threads = {};
  /// How many may wait for a thread.
  std::size_t queue_max = 64;
};

/// matches       the password is the one that was stored
/// needs_rehash  and what is stored was not made as it would be now: store hash() of it
/// is_readable   what is stored is a hash that can be checked; else nothing matches it
struct PasswordCheck {
  bool matches = false;
  bool needs_rehash = false;
  bool is_readable = true;
};

/// One for the process: app.state<Passwords>().
///
///     const std::optional<std::string> stored = co_await users->password_of(login.name);
///     const auto check = co_await passwords->prove(login.password, stored);
///
/// Passwords are bytes: those that look the same and are spelled otherwise (Unicode's normal forms)
/// are others, since nothing is normalised here. NUL is a byte like others. The copy that is made
/// here is overwritten; those in the request are not.
///
/// What is passed is read before the call returns, and may go. A task that is destroyed takes its
/// work out of the queue.
///
/// errors of all of them  503 with Retry-After when more than `queue_max` wait, or memory is short
class Passwords {
 public:
  /// Throws a Failure where argon2 cannot be run so, and where there is no thread to be had.
  explicit Passwords(PasswordOptions options = {});

  /// What is to be stored: a PHC string of up to 200 bytes, with 16 bytes of salt from the kernel.
  ///
  /// errors  422 for no bytes, and for more than `password_bytes_max`
  [[nodiscard]] Task<Result<std::string>> hash(std::string_view password) const;

  /// stored  what hash() has returned, or another program's string of argon2id or argon2i in
  ///         version 19. What cannot be read costs as much as what is wrong.
  [[nodiscard]] Task<Result<PasswordCheck>> verify(std::string_view password,
                                                   std::string_view stored) const;

  /// Does the work that verify() does, and matches never: for accounts that there are not, so that
  /// time does not tell which those are.
  [[nodiscard]] Task<Result<PasswordCheck>> verify_nobody(std::string_view password) const;

  /// For a login: `verify`, or where there is no such account `verify_nobody`.
  ///
  /// errors  401 with one sentence for both where it does not match
  [[nodiscard]] Task<Result<PasswordCheck>> prove(std::string_view password,
                                                  const std::optional<std::string>& stored) const;

  [[nodiscard]] PasswordCounts counts() const { return pool_->counts(); }

 private:
  using Hash = detail::passwords::Argon2Hash;

  [[nodiscard]] Hash like_new() const;

  PasswordOptions options_;
  Hash nobody_;
  std::shared_ptr<detail::passwords::DerivationPool> pool_;
};

}  // namespace eider
