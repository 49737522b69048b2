// Hashes and verifies passwords with argon2id on its own threads.
// Layering: must not limit attempts; LoginThrottle does (middleware/login_throttle.h).
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
  /// Maximum size of a password in bytes (not characters). Longer ones cannot be stored and never
  /// match.
  std::size_t password_bytes_max = 1024;
  /// Maximum cost of a stored hash: another program or an attacker may have written it. `cost` may
  /// be higher. The default covers common settings.
  Argon2Cost stored_cost_max = {.memory_kib = 64 * 1024, .passes = 4, .lanes = 4};
  /// Number of threads, each with the memory of its cost. Default: one for each core, at most 8. 0
  /// runs argon2 on the calling event loop, for tests with simulated time.
  std::optional<unsigned> threads = {};
  /// Maximum number of calls that wait for a thread.
  std::size_t queue_max = 64;
};

/// matches       the password is correct
/// needs_rehash  the hash was created with other settings: store hash() of the password
/// is_readable   the stored text is a valid hash; otherwise nothing matches
struct PasswordCheck {
  bool matches = false;
  bool needs_rehash = false;
  bool is_readable = true;
};

/// Hashes and verifies passwords. Register one for the process: app.state<Passwords>().
///
///     const std::optional<std::string> stored = co_await users->password_of(login.name);
///     const auto check = co_await passwords->check_login(login.password, stored);
///
/// Passwords are bytes and are not normalized: texts that look the same but are encoded differently
/// (Unicode normal forms) are different passwords. NUL is an ordinary byte. The copy of the
/// password in this class is overwritten; those in the request are not.
///
/// Arguments are read before the call returns, and may be destroyed. Destroying the task removes
/// its work from the queue.
///
/// errors of all functions  503 with Retry-After when more than `queue_max` calls wait, or memory
/// is short
class Passwords {
 public:
  /// Throws a Failure for unsupported argon2 settings, or if no thread can be started.
  explicit Passwords(PasswordOptions options = {});

  /// Returns the text to store: a PHC string of up to 200 bytes, with 16 bytes of salt from the
  /// kernel.
  ///
  /// errors  422 for an empty password, and for more than `password_bytes_max`
  [[nodiscard]] Task<Result<std::string>> hash(std::string_view password) const;

  /// stored  the result of hash(), or a string of argon2id or argon2i, version 19, of another
  ///         program; an invalid string costs as much time as a wrong password
  [[nodiscard]] Task<Result<PasswordCheck>> verify(std::string_view password,
                                                   std::string_view stored) const;

  /// Does the same work as verify(), and never matches: for accounts that do not exist, so that the
  /// time does not reveal that.
  [[nodiscard]] Task<Result<PasswordCheck>> verify_unknown_user(std::string_view password) const;

  /// Checks a login: calls `verify`, or `verify_unknown_user` if the account does not exist.
  ///
  /// errors  401 with the same text for both cases
  [[nodiscard]] Task<Result<PasswordCheck>> check_login(
      std::string_view password, const std::optional<std::string>& stored) const;

  [[nodiscard]] PasswordCounts counts() const { return pool_->counts(); }

 private:
  using Hash = detail::passwords::Argon2Hash;

  [[nodiscard]] Hash like_new() const;

  PasswordOptions options_;
  Hash nobody_;
  std::shared_ptr<detail::passwords::DerivationPool> pool_;
};

}  // namespace eider
