// Limits password attempts: per account, per address, and for both together.
// Layering: must not reveal whether an account exists, or lock out a known owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/client.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// Delays after failed attempts: each further attempt must wait twice as long as the one before.
///
/// free   attempts without a wait
/// first  the first wait after these
/// max    the longest wait
struct LoginDelays {
  std::uint32_t free = 5;
  Duration first = std::chrono::seconds(1);
  Duration max = std::chrono::minutes(15);
};

struct LoginLimits {
  /// Limit for one account from one address.
  LoginDelays account_and_address = {};
  /// Limit for one address and all accounts; many users may share an address.
  LoginDelays address = {
      .free = 20, .first = std::chrono::seconds(1), .max = std::chrono::minutes(5)};
  /// Limit for one account from all addresses together, except addresses with a login within
  /// `known_for`. While an attacker with many addresses uses up all attempts, the owner can log in
  /// from a new address only with LoginThrottle::make_known. Separate attempts for new addresses
  /// would be as many guesses as an attacker has addresses.
  LoginDelays account = {
      .free = 50, .first = std::chrono::seconds(1), .max = std::chrono::seconds(30)};
  /// Failed attempts are forgotten this long after the last wait has ended.
  Duration forget_after = std::chrono::hours(1);
  Duration known_for = std::chrono::days(30);
  /// An IPv6 client has at least a /64 (RFC 6177), and can use all addresses in it.
  unsigned ipv6_prefix_bits = 64;
  /// Maximum number of keys of each kind, at 24 bytes each. Keys with the most failures are kept
  /// longest.
  std::size_t keys_max = std::size_t{1} << 16U;
};

namespace detail::middleware {

class LoginTable;

/// The keys that an attempt is counted by. 0: not counted.
struct LoginKeys {
  std::uint64_t both = 0;
  std::uint64_t address = 0;
  std::uint64_t account = 0;
  std::uint64_t known = 0;
};

}  // namespace detail::middleware

/// A login attempt, which counts as failed until its outcome is reported.
class LoginAttempt {
 public:
  LoginAttempt(std::shared_ptr<detail::middleware::LoginTable> table,
               detail::middleware::LoginKeys keys) noexcept
      : table_(std::move(table)), keys_(keys) {}

  /// Reports that the password was correct. Failures of this account from this address are
  /// forgotten, and failures from other addresses no longer delay this address.
  void succeeded();
  /// Reports that the password was not checked (503); the attempt does not count.
  void cancel();

 private:
  std::shared_ptr<detail::middleware::LoginTable> table_;
  detail::middleware::LoginKeys keys_;
};

/// Limits password guesses. Register one for the process, and use it in the handler that logs users
/// in:
///
///     app.state<LoginThrottle>();
///
/// `attempt` does everything in one call; use `begin` if you need steps in between.
///
/// Attempts count from their start, so that concurrent attempts are not an advantage. Rejected
/// attempts do not count, so that a wait ends however often an attacker tries. All event loops of
/// the process count together; several processes count separately. Thread-safe.
class LoginThrottle {
 public:
  /// Throws a Failure for invalid delays, and for a prefix over 128 bits.
  explicit LoginThrottle(LoginLimits limits = {});

  /// account  name as entered, normalized (for example lowercase) if the lookup ignores case; names
  ///          count alike whether the account exists or not
  /// client   clients with an unknown address count as one: see App::trust_proxies
  /// errors   429 with Retry-After, in whole seconds
  [[nodiscard]] Result<LoginAttempt> begin(std::string_view account,
                                           const ClientInfo& client) const;

  /// Marks the address as known, like a login: after another proof than the password, such as a
  /// link that was sent by mail.
  void make_known(std::string_view account, const ClientInfo& client) const;

  /// Runs a whole attempt: starts `check` if an attempt is allowed, and reports its outcome.
  ///
  ///     const auto checked = co_await throttle->attempt(
  ///         given->name, client, passwords->check_login(given->password, stored));
  ///
  /// check   its value is a success, an error below 500 a failure; with an error of 500 or above,
  ///         or an exception, the attempt does not count
  /// errors  those of `begin` and of `check`
  template <class T>
  [[nodiscard]] Task<Result<T>> attempt(std::string account, ClientInfo client,
                                        Task<Result<T>> check) const {
    constexpr int kNotLooked = 500;
    auto attempt = begin(account, client);
    if (!attempt) {
      co_return fail(std::move(attempt.error()));
    }
    Result<T> checked = fail(Error::internal(""));
    try {
      checked = co_await std::move(check);
    } catch (...) {
      attempt->cancel();
      throw;
    }
    if (checked) {
      attempt->succeeded();
    } else if (checked.error().status() >= kNotLooked) {
      attempt->cancel();
    }
    co_return checked;
  }

  /// Returns the memory of the tables, in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] detail::middleware::LoginKeys keys_of(std::string_view account,
                                                      const ClientInfo& client) const;

  unsigned ipv6_prefix_bits_;
  std::shared_ptr<detail::middleware::LoginTable> table_;
};

}  // namespace eider
