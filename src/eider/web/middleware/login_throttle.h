// How fast passwords may be tried: for one account, from one address, and for both together.
// Must not know whether an account exists, nor keep an owner out who has been here before.
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

/// After so many attempts that have failed each further one has to wait, twice as long as the one
/// before.
///
/// free   attempts without a wait
/// first  what comes after these
/// max    the longest wait
struct LoginDelays {
  std::uint32_t free = 5;
  Duration first = std::chrono::seconds(1);
  Duration max = std::chrono::minutes(15);
};

struct LoginLimits {
  /// Of one account from one address.
  LoginDelays both = {};
  /// Of all accounts from one address, behind which there may be many people.
  LoginDelays address = {
      .free = 20, .first = std::chrono::seconds(1), .max = std::chrono::minutes(5)};
  /// Of one account from all addresses together, but for those from which it was logged into
  /// within `known_for`. While somebody with many addresses takes every turn there is, an owner who
  /// comes from a new one gets in by LoginThrottle::make_known alone: any turns of their own for
  /// new addresses would be as many guesses as an attacker has addresses.
  LoginDelays account = {
      .free = 50, .first = std::chrono::seconds(1), .max = std::chrono::seconds(30)};
  /// What has failed is forgotten so long after the last wait is over.
  Duration quiet = std::chrono::hours(1);
  Duration known_for = std::chrono::days(30);
  /// An IPv6 client has a /64 at least (RFC 6177), and all addresses in it.
  unsigned ipv6_prefix_bits = 64;
  /// How many of each are told apart, at 24 bytes each, whoever asks. What has failed most often is
  /// kept longest.
  std::size_t keys_max = std::size_t{1} << 16U;
};

namespace detail::middleware {

class LoginTable;

/// What an attempt is counted by. 0: that does not count.
struct LoginKeys {
  std::uint64_t both = 0;
  std::uint64_t address = 0;
  std::uint64_t account = 0;
  std::uint64_t known = 0;
};

}  // namespace detail::middleware

/// One attempt, which counts as failed until it is said what became of it.
class LoginAttempt {
 public:
  LoginAttempt(std::shared_ptr<detail::middleware::LoginTable> table,
               detail::middleware::LoginKeys keys) noexcept
      : table_(std::move(table)), keys_(keys) {}

  /// The password was right. What this account's owner has got wrong from here is forgotten, and
  /// what others have got wrong elsewhere will not keep this address waiting.
  void succeeded();
  /// Nobody has looked at the password (503): it is as though it had not been tried.
  void was_not_made();

 private:
  std::shared_ptr<detail::middleware::LoginTable> table_;
  detail::middleware::LoginKeys keys_;
};

/// One for the process, in a handler that logs people in:
///
///     app.state<LoginThrottle>();
///
/// `attempt` is all of it in one call, `begin` for what goes on in between.
///
/// Attempts count when they begin, so that many at once are not more than one after the other;
/// those that are refused do not count, so that the wait ends however often somebody asks. All
/// loops of the process count together, several processes each by itself. From any thread, as in
/// handlers that block.
class LoginThrottle {
 public:
  /// Throws a Failure for delays that are none, and for a prefix over 128 bits.
  explicit LoginThrottle(LoginLimits limits = {});

  /// account  as who asks names it, made one spelling (small letters) if the look-up does so. Any
  ///          name counts alike, whether there is such an account or not.
  /// client   all whose address nobody knows count as one: see App::trust_proxies
  /// errors   429 with Retry-After, in whole seconds
  [[nodiscard]] Result<LoginAttempt> begin(std::string_view account, const Client& client) const;

  /// As though the account had been logged into from there: after another proof than the password,
  /// such as a link that was sent by mail.
  void make_known(std::string_view account, const Client& client) const;

  /// A whole attempt: `check` is begun where it may be made at all, and its result says what became
  /// of it.
  ///
  ///     const auto checked = co_await throttle->attempt(
  ///         given->name, client, passwords->prove(given->password, stored));
  ///
  /// check   its value is a success, an error below 500 a failure; with one of 500 and up, or where
  ///         it throws, nobody has looked at the password
  /// errors  of `begin`, and those of `check`
  template <class T>
  [[nodiscard]] Task<Result<T>> attempt(std::string account, Client client,
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
      attempt->was_not_made();
      throw;
    }
    if (checked) {
      attempt->succeeded();
    } else if (checked.error().status() >= kNotLooked) {
      attempt->was_not_made();
    }
    co_return checked;
  }

  /// What the tables take, whoever asks.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  [[nodiscard]] detail::middleware::LoginKeys keys_of(std::string_view account,
                                                      const Client& client) const;

  unsigned ipv6_prefix_bits_;
  std::shared_ptr<detail::middleware::LoginTable> table_;
};

}  // namespace eider
