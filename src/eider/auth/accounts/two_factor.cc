#include "eider/auth/accounts/two_factor.h"

#include <algorithm>
#include <utility>

#include "eider/auth/accounts/account_rows.h"
#include "eider/auth/accounts/totp.h"
#include "eider/core/base/base32.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/token.h"
#include "eider/core/json/json.h"
#include "eider/data/db/create_tables.h"

namespace eider {

namespace detail::accounts {

/// Not in the anonymous namespace, because coroutines of TwoFactor have it in their frames.
struct FactorRow {
  std::string secret;
  std::int64_t last_step = 0;
};

}  // namespace detail::accounts

using detail::accounts::FactorRow;
using detail::accounts::note_ending;
using detail::accounts::note_for_owner;
using detail::accounts::Purpose;
using detail::accounts::seconds_from_now;

namespace {

/// As RFC 4226, section 4, recommends.
constexpr std::size_t kSecretBytes = 20;
/// 80 bits, so the digests need no slow hash.
constexpr std::size_t kRecoveryBytes = 10;
constexpr std::size_t kRecoveryChars = 16;
constexpr std::size_t kGroupChars = 4;
/// Users type spaces and dashes; longer texts are not codes.
constexpr std::size_t kTypedBytesMax = 64;
/// Number of time steps before and after the current one whose codes are valid, because clocks
/// differ.
constexpr std::int64_t kStepsApart = 1;
constexpr Duration kStepWithinMax = std::chrono::minutes(15);

Error setup_is_over() {
  return Error(410, "This setup has expired. Start again.");
}

Error is_off() {
  return Error::conflict("Two-factor authentication is off.");
}

Error wrong_code() {
  return Error::invalid(
      {{"/code",
        "is wrong. Enter the code that the app shows now, and check the clock of the device"}});
}

/// Returns the code in lower case, without spaces and dashes; empty if the text is not a code.
std::string normal_code(std::string_view typed) {
  std::string code;
  if (typed.size() > kTypedBytesMax) {
    return code;
  }
  for (const char c : typed) {
    const char small = to_lower(c);
    if (is_digit(small) || (small >= 'a' && small <= 'z')) {
      code.push_back(small);
    } else if (c != ' ' && c != '-') {
      return {};
    }
  }
  return code;
}

bool is_app_code(std::string_view code) {
  return code.size() == kTotpDigits && std::ranges::all_of(code, is_digit);
}

std::string in_groups(std::string_view text, char between) {
  std::string groups;
  for (std::size_t at = 0; at < text.size(); at += kGroupChars) {
    if (at != 0) {
      groups.push_back(between);
    }
    groups.append(text.substr(at, kGroupChars));
  }
  return groups;
}

/// Returns the step of a code that is valid now and newer than `last`. It compares all steps, each
/// in constant time.
std::optional<std::int64_t> step_of(std::string_view secret, std::string_view code,
                                    std::int64_t last) {
  const std::int64_t now = seconds_from_now() / kTotpPeriod;
  std::optional<std::int64_t> found;
  for (std::int64_t step = now - kStepsApart; step <= now + kStepsApart; ++step) {
    const bool matches = equals_in_constant_time(code, totp_code(secret, step * kTotpPeriod));
    if (matches && step > last && !found) {
      found = step;
    }
  }
  return found;
}

/// Includes the account, so that equal recovery codes of two accounts have different digests.
std::string digest_of_code(const std::string& account, std::string_view code) {
  return sha256_hex(account + "\n" + std::string(code));
}

/// Returns -1 for a user without an account.
Task<std::int64_t> version_of(const db::Statements& at, std::string account) {
  const auto version =
      co_await at.one<std::int64_t>("select version from eider_accounts where name = $1", account);
  co_return version.value_or(-1);
}

Task<RecoveryCodes> replace_codes(const db::Statements& at, std::string account,
                                  std::size_t count) {
  co_await at.exec("delete from eider_account_recovery_codes where account = $1", account);
  RecoveryCodes codes;
  while (codes.size() < count) {
    const std::string code = in_lower_case(to_base32(secret_bytes(kRecoveryBytes)));
    co_await at.exec("insert into eider_account_recovery_codes(digest, account) values($1, $2)",
                     digest_of_code(account, code), account);
    codes.push_back(in_groups(code, '-'));
  }
  co_return codes;
}

std::vector<std::string> first_of(const std::vector<std::string>& keys) {
  return keys.empty() ? keys : std::vector{keys.front()};
}

TwoFactorOptions checked_factor(TwoFactorOptions options, std::string service) {
  options.issuer = options.issuer.empty() ? std::move(service) : std::move(options.issuer);
  if (options.step_within > kStepWithinMax) {
    throw Failure(Error::internal("accounts: two_factor.step_within must be at most 15 minutes"));
  }
  if (!options.keys.empty() && options.issuer.empty()) {
    throw Failure(Error::internal(
        "accounts: Set `name` or two_factor.issuer, which authenticator apps show"));
  }
  return options;
}

}  // namespace

LoginLimits two_factor_limits() {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  return {.account_and_address = {.free = 5, .first = seconds(30), .max = minutes(15)},
          .address = {.free = 20, .first = seconds(10), .max = minutes(5)},
          .account = {.free = 10, .first = seconds(30), .max = hours(1)},
          // Much longer than the longest pause, so that waiting does not reset the count.
          .forget_after = hours(24)};
}

TwoFactor::TwoFactor(Database database, TwoFactorOptions options, std::string service)
    : database_(std::move(database)),
      options_(checked_factor(std::move(options), std::move(service))),
      secrets_("accounts: two_factor", "eider accounts secret", options_.keys),
      newest_("accounts: two_factor", "eider accounts secret", first_of(options_.keys)),
      setups_("accounts: two_factor", "eider accounts setup", options_.keys),
      logins_("accounts: two_factor", "eider accounts login", options_.keys) {}

// Without keys, the second step of accounts that have turned it on would silently be skipped.
Task<> TwoFactor::start() const {
  co_await db::create_tables(
      database_,
      "create table if not exists eider_account_factors ("
      "account text primary key, secret text not null, last_step bigint not null, "
      "made bigint not null);"
      "create table if not exists eider_account_recovery_codes ("
      "digest text primary key, account text not null);"
      "create index if not exists eider_account_recovery_codes_account on "
      "eider_account_recovery_codes(account);");
  const auto count =
      co_await database_.one<std::int64_t>("select count(*) from eider_account_factors");
  if (!is_offered() && count.value_or(0) != 0) {
    throw Failure(Error::internal("accounts: " + std::to_string(*count) +
                                  " accounts have two-factor authentication, but two_factor.keys "
                                  "is empty. Set the keys that encrypted their secrets."));
  }
}

Task<bool> TwoFactor::is_on(std::string account) const {
  if (!is_offered()) {
    co_return false;
  }
  const auto row = co_await database_.one<FactorRow>(
      "select secret, last_step from eider_account_factors where account = $1", account);
  co_return row.has_value();
}

Task<TwoFactorStatus> TwoFactor::status(UserKey key) const {
  TwoFactorStatus status;
  status.is_on = co_await is_on(key.text);
  if (status.is_on) {
    const auto left = co_await database_.one<std::int64_t>(
        "select count(*) from eider_account_recovery_codes where account = $1", key.text);
    status.recovery_codes_left = left.value_or(0);
  }
  co_return status;
}

// Turning on and off.

TwoFactorSetup TwoFactor::show_setup(const std::string& email, const std::string& secret,
                                     std::string token) const {
  return {.secret = in_groups(to_base32(secret), ' '),
          .uri = otpauth_uri(options_.issuer, email, secret),
          .token = std::move(token)};
}

Task<Result<TwoFactorSetup>> TwoFactor::begin_setup(UserKey key, std::string email) const {
  if (!is_offered()) {
    co_return fail(Error::not_found("This service has no two-factor authentication."));
  }
  const std::int64_t version = co_await version_of(database_, key.text);
  const std::string secret = secret_bytes(kSecretBytes);
  const Setup setup{.account = std::move(key.text),
                    .secret = to_base32(secret),
                    .version = version,
                    .ends = seconds_from_now(options_.setup_within)};
  co_return show_setup(email, secret, setups_.seal(json::to_text(setup)));
}

Result<TwoFactor::Setup> TwoFactor::open_setup(const UserKey& key, const std::string& token) const {
  const auto plain = setups_.open(token);
  auto setup = plain ? json::read<Setup>(*plain) : fail(setup_is_over());
  const auto secret = setup ? from_base32(setup->secret) : std::nullopt;
  if (!is_offered() || !secret || setup->account != key.text || setup->ends <= seconds_from_now()) {
    return fail(setup_is_over());
  }
  setup->secret = *secret;
  return setup;
}

Result<TwoFactorSetup> TwoFactor::setup_of(const UserKey& key, const std::string& email,
                                           const std::string& token) const {
  const auto setup = open_setup(key, token);
  if (!setup) {
    return fail(setup.error());
  }
  return show_setup(email, setup->secret, token);
}

Task<Result<RecoveryCodes>> TwoFactor::turn_on(UserKey key, std::string token, std::string code,
                                               std::string ending_id, std::string language) const {
  auto setup = open_setup(key, token);
  if (!setup) {
    co_return fail(setup.error());
  }
  const std::string typed = normal_code(code);
  const auto step = is_app_code(typed) ? step_of(setup->secret, typed, 0) : std::nullopt;
  if (!step) {
    co_return fail(wrong_code());
  }
  co_return co_await store(std::move(*setup), *step, std::move(ending_id), std::move(language));
}

/// Encrypts the account together with its secret, so that a secret copied to the row of another
/// account is invalid.
Task<Result<RecoveryCodes>> TwoFactor::store(Setup setup, std::int64_t step, std::string ending_id,
                                             std::string language) const {
  const std::string& account = setup.account;
  try {
    Transaction transaction = co_await database_.begin();
    // A person with the old password may know the secret of a setup that began before.
    if (co_await version_of(transaction, account) != setup.version) {
      co_return fail(setup_is_over());
    }
    co_await transaction.exec(
        "insert into eider_account_factors(account, secret, last_step, made) "
        "values($1, $2, $3, $4)",
        account, secrets_.seal(account + "\n" + setup.secret), step, seconds_from_now());
    RecoveryCodes codes = co_await replace_codes(transaction, account, options_.recovery_codes);
    co_await note_for_owner(transaction, account, Purpose::kTwoFactorOn, std::move(language));
    co_await note_ending(transaction, std::move(ending_id), account);
    co_await transaction.commit();
    co_return codes;
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::unique) {
      throw;
    }
    co_return fail(Error::conflict("Two-factor authentication is already on."));
  }
}

Task<> TwoFactor::turn_off(UserKey key, std::string language) const {
  Transaction transaction = co_await database_.begin();
  const auto changed =
      co_await transaction.exec("delete from eider_account_factors where account = $1", key.text);
  co_await transaction.exec("delete from eider_account_recovery_codes where account = $1",
                            key.text);
  if (changed.rows == 1) {
    co_await note_for_owner(transaction, key.text, Purpose::kTwoFactorOff, std::move(language));
  }
  co_await transaction.commit();
}

Task<Result<RecoveryCodes>> TwoFactor::make_recovery_codes(UserKey key,
                                                           std::string language) const {
  Transaction transaction = co_await database_.begin();
  // Locks the row, so that two concurrent calls do not both store their codes.
  const auto locked = co_await transaction.exec(
      "update eider_account_factors set made = made where account = $1", key.text);
  if (locked.rows != 1) {
    co_return fail(is_off());
  }
  RecoveryCodes codes = co_await replace_codes(transaction, key.text, options_.recovery_codes);
  co_await note_for_owner(transaction, key.text, Purpose::kRecoveryCodesReplaced,
                          std::move(language));
  co_await transaction.commit();
  co_return codes;
}

// The second step.

std::string TwoFactor::seal_pending(Pending pending) const {
  pending.ends = seconds_from_now(options_.step_within);
  return logins_.seal(json::to_text(pending));
}

std::optional<TwoFactor::Pending> TwoFactor::open_pending(std::string_view sealed) const {
  const auto plain = sealed.empty() ? std::nullopt : logins_.open(sealed);
  auto pending = plain ? json::read<Pending>(*plain) : fail(Error::bad_request(""));
  const bool is_valid = pending && pending->ends > seconds_from_now();
  return is_valid ? std::optional(std::move(*pending)) : std::nullopt;
}

Task<bool> TwoFactor::use_code(std::string account, std::string code, std::string language) const {
  std::string typed = normal_code(code);
  if (is_app_code(typed)) {
    return use_app_code(std::move(account), std::move(typed));
  }
  return use_recovery_code(std::move(account), std::move(typed), std::move(language));
}

Task<bool> TwoFactor::use_app_code(std::string account, std::string code) const {
  const auto row = co_await database_.one<FactorRow>(
      "select secret, last_step from eider_account_factors where account = $1", account);
  if (!row) {
    co_return false;
  }
  const std::string head = account + "\n";
  const auto plain = secrets_.open(row->secret);
  if (!plain || !plain->starts_with(head)) {
    throw Failure(Error::internal("accounts: the two-factor secret of '" + account +
                                  "' cannot be decrypted. Add the key that encrypted it to "
                                  "two_factor.keys."));
  }
  const auto step = step_of(std::string_view(*plain).substr(head.size()), code, row->last_step);
  if (!step) {
    co_return false;
  }
  // Encrypted with the first key, so that older keys can be removed in time.
  const std::string secret = newest_.open(row->secret) ? row->secret : newest_.seal(*plain);
  // In one statement: of two concurrent uses of a code, one succeeds.
  const auto changed = co_await database_.exec(
      "update eider_account_factors set last_step = $1, secret = $4 "
      "where account = $2 and last_step < $1 and secret = $3",
      *step, account, row->secret, secret);
  co_return changed.rows == 1;
}

Task<bool> TwoFactor::use_recovery_code(std::string account, std::string code,
                                        std::string language) const {
  if (code.size() != kRecoveryChars) {
    co_return false;
  }
  Transaction transaction = co_await database_.begin();
  const auto changed = co_await transaction.exec(
      "delete from eider_account_recovery_codes where digest = $1 and account = $2",
      digest_of_code(account, code), account);
  if (changed.rows == 1) {
    co_await note_for_owner(transaction, account, Purpose::kRecoveryCodeUsed, std::move(language));
  }
  co_await transaction.commit();
  co_return changed.rows == 1;
}

}  // namespace eider
