// Two-factor authentication of accounts: codes of an authenticator app, and recovery codes.
// Layering: must not show pages or log users in; Accounts does the latter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/session/users.h"
#include "eider/core/base/result.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/sealed_text.h"
#include "eider/web/middleware/login_throttle.h"

namespace eider {

/// Limits the attempts to guess a code. They are stricter than for passwords, because three of a
/// million codes are valid at a time, and an attempt needs the password. From all new addresses
/// together, an account has 10 attempts, then waits of up to an hour: about 40 on the first day,
/// and 24 on each further day. Failed attempts are forgotten after 24 hours.
[[nodiscard]] LoginLimits two_factor_limits();

struct TwoFactorOptions {
  /// Keys that encrypt the secrets of users: at least 32 secret bytes each, the same for all
  /// processes. The first one encrypts, all decrypt: to replace a key, insert a new one at the
  /// front. A login with a code encrypts the secret of its account with the first key. Empty:
  /// accounts have no two-factor authentication.
  std::vector<std::string> keys = {};
  /// Page for the code, to which Accounts::begin leads after the password.
  std::string page = "/two-factor";
  /// Name of the service in authenticator apps. Default: AccountsOptions::name.
  std::string issuer = {};
  /// Time for the second step, at most 15 minutes.
  Duration step_within = std::chrono::minutes(10);
  /// Time for the setup, from the QR code to the first code.
  Duration setup_within = std::chrono::hours(1);
  /// Number of recovery codes, each of which replaces one code.
  std::size_t recovery_codes = 10;
  LoginLimits attempts = two_factor_limits();
};

/// secret  for apps that cannot read the QR code: base32 in groups of four
/// uri     content of the QR code (qr_svg)
/// token   hidden field of the form with the first code. It contains the secret, encrypted
struct TwoFactorSetup {
  std::string secret;
  std::string uri;
  std::string token;
};

struct TwoFactorStatus {
  bool is_on = false;
  std::int64_t recovery_codes_left = 0;
};

/// Recovery codes, "abcd-efgh-ijkl-mnop" each. Show them once: only digests are stored.
using RecoveryCodes = std::vector<std::string>;

/// Sets two-factor authentication up and turns it off, for users who are logged in: get it with
/// Accounts::two_factor. Accounts::turn_on_two_factor turns it on. Call that, `turn_off` and
/// `make_recovery_codes` only after a recent login (require_recent_login). The owner is informed by
/// mail of each change.
///
/// A code is valid in its 30 seconds and in the 30 seconds before and after these, once: of several
/// requests with one code, also in several processes, one succeeds.
class TwoFactor {
 public:
  /// Throws a Failure for a key below 32 bytes, for step_within above 15 minutes, and for keys
  /// without an issuer or a name of the service.
  TwoFactor(Database database, TwoFactorOptions options, std::string service);

  /// Returns whether accounts can turn it on: TwoFactorOptions::keys is not empty.
  [[nodiscard]] bool is_offered() const noexcept { return !options_.keys.empty(); }
  [[nodiscard]] Task<TwoFactorStatus> status(UserKey key) const;

  /// Creates a secret for the user to scan. Nothing is stored until Accounts::turn_on_two_factor.
  /// The setup ends when the password or the address of the account changes.
  ///
  /// email   shown in the authenticator app
  /// errors  404 if it is not offered
  [[nodiscard]] Task<Result<TwoFactorSetup>> begin_setup(UserKey key, std::string email) const;
  /// Returns the setup of that token again, for the form after a wrong code.
  ///
  /// errors  410 if the token is invalid, has expired or belongs to another account
  [[nodiscard]] Result<TwoFactorSetup> setup_of(const UserKey& key, const std::string& email,
                                                const std::string& token) const;
  /// Turns it off, and deletes the recovery codes. Does nothing if it is off.
  [[nodiscard]] Task<> turn_off(UserKey key, std::string language = {}) const;
  /// Replaces all recovery codes.
  ///
  /// errors  409 if two-factor authentication is off
  [[nodiscard]] Task<Result<RecoveryCodes>> make_recovery_codes(UserKey key,
                                                                std::string language = {}) const;

  // For Accounts.

  /// A login whose password was correct.
  struct Pending {
    std::string key = {};
    std::int64_t version = 0;
    std::int64_t ends = 0;
  };
  [[nodiscard]] const TwoFactorOptions& options() const noexcept { return options_; }
  [[nodiscard]] Task<> start() const;
  [[nodiscard]] Task<bool> is_on(std::string account) const;
  /// See Accounts::turn_on_two_factor.
  ///
  /// ending_id  id of the request that ends all sessions if this process ends before it has done so
  [[nodiscard]] Task<Result<RecoveryCodes>> turn_on(UserKey key, std::string token,
                                                    std::string code, std::string ending_id,
                                                    std::string language) const;
  [[nodiscard]] std::string seal_pending(Pending pending) const;
  [[nodiscard]] std::optional<Pending> open_pending(std::string_view sealed) const;
  /// Uses a code of the app or a recovery code up, and returns whether it was valid.
  [[nodiscard]] Task<bool> use_code(std::string account, std::string code,
                                    std::string language) const;

 private:
  /// version  of the account when the setup began
  struct Setup {
    std::string account = {};
    std::string secret = {};
    std::int64_t version = 0;
    std::int64_t ends = 0;
  };
  /// secret  in bytes
  [[nodiscard]] TwoFactorSetup show_setup(const std::string& email, const std::string& secret,
                                          std::string token) const;
  [[nodiscard]] Result<Setup> open_setup(const UserKey& key, const std::string& token) const;
  [[nodiscard]] Task<Result<RecoveryCodes>> store(Setup setup, std::int64_t step,
                                                  std::string ending_id,
                                                  std::string language) const;
  [[nodiscard]] Task<bool> use_app_code(std::string account, std::string code) const;
  [[nodiscard]] Task<bool> use_recovery_code(std::string account, std::string code,
                                             std::string language) const;

  const Database database_;
  const TwoFactorOptions options_;
  const detail::tls::SealedText secrets_;
  const detail::tls::SealedText newest_;  // with the first key only
  const detail::tls::SealedText setups_;
  const detail::tls::SealedText logins_;
};

}  // namespace eider
