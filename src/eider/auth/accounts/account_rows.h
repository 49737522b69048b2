// The rows of the account tables, and the functions that create them.
// Layering: must not be included by applications.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/accounts/accounts.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/task.h"

namespace eider {

namespace detail::accounts {

/// email    as the owner typed it
/// version  increases with each change of password or address; tokens are bound to it
struct Row {
  std::string name;
  std::string email;
  std::string password;
  std::int64_t version = 0;
};

/// A link that was sent. `account` is empty if the link creates the account.
struct Link {
  std::string digest = {};
  std::string purpose = {};
  std::string account = {};
  std::string email = {};
  std::int64_t version = 0;
};

/// Purposes of requests and links, as stored in the tables.
struct Purpose {
  static constexpr const char* kSignUp = "sign_up";
  static constexpr const char* kReset = "reset";
  static constexpr const char* kAddress = "address";
  static constexpr const char* kEndSessions = "end_sessions";
  static constexpr const char* kPasswordChanged = "password_changed";
  static constexpr const char* kAddressChanged = "address_changed";
  static constexpr const char* kPasskeyAdded = "passkey_added";
  static constexpr const char* kProviderLinked = "provider_linked";
  static constexpr const char* kLogIn = "log_in";
  static constexpr const char* kTwoFactorOn = "two_factor_on";
  static constexpr const char* kTwoFactorOff = "two_factor_off";
  static constexpr const char* kRecoveryCodeUsed = "recovery_code_used";
  static constexpr const char* kRecoveryCodesReplaced = "recovery_codes_replaced";
  static constexpr const char* kApiKeyAdded = "api_key_added";
};

inline constexpr std::size_t kKeyBytes = 18;

/// A request whose work is done after the response.
///
/// version   version of the account at the time of the request, if the request belongs to an
///           account
/// tries     number of started attempts
/// language  language of the resulting mail
struct Ask {
  std::string id = {};
  std::string purpose = {};
  std::string account = {};
  std::string email = {};
  std::int64_t version = 0;
  std::int64_t tries = 0;
  std::string language = {};
};

/// pause  time before a worker may process the request
[[nodiscard]] Task<> write_ask(const db::Statements& at, Ask ask,
                               Duration pause = Duration::zero());
/// Stores a notice to the owner of an account, which the worker sends. Does nothing if the account
/// does not exist.
[[nodiscard]] Task<> note_for_owner(const db::Statements& at, std::string account,
                                    std::string purpose, std::string language);

/// Stores a request that ends all sessions of the account. If this process is killed after the
/// commit, another process ends them, including those of an attacker; the owner logs in again.
[[nodiscard]] Task<> note_ending(const db::Statements& at, std::string id, std::string account);

/// Deletes a link; returns false if it has expired, or another request has used it in the meantime.
[[nodiscard]] Task<bool> use_up(const Transaction& at, std::string digest);

[[nodiscard]] inline Error no_such_link() {
  return Error(410, "This link was already used or has expired. Request a new link.");
}

[[nodiscard]] inline Error no_such_login() {
  return Error::unauthorized("The address or the password is wrong.");
}

[[nodiscard]] inline std::int64_t seconds_from_now(Duration duration = Duration::zero()) {
  return wall_time().time_since_epoch().count() +
         std::chrono::ceil<std::chrono::seconds>(duration).count();
}

[[nodiscard]] inline std::string random_text(std::size_t bytes) {
  return to_base64url(secret_bytes(bytes));
}

/// Returns the digest that the table stores, so that readers of the table do not get tokens.
[[nodiscard]] inline std::string digest_of(std::string_view token) {
  return to_base64url(to_view(sha256(token)));
}

/// Returns one spelling of an address, for lookups and for counting attempts. The part before the @
/// is case-sensitive by the standard (RFC 5321, section 2.4), but no provider gives two spellings
/// to two people, and most people type theirs in several ways.
[[nodiscard]] inline std::string email_key_of(std::string email) {
  std::ranges::transform(email, email.begin(), to_lower);
  return email;
}

}  // namespace detail::accounts
}  // namespace eider
