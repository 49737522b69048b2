// Logins with a password, with a mailed link, and with the second step after these.
#include <string>
#include <utility>

#include "eider/auth/accounts/account_rows.h"
#include "eider/auth/accounts/accounts.h"
#include "eider/core/base/url.h"

namespace eider {

using detail::accounts::digest_of;
using detail::accounts::email_key_of;
using detail::accounts::no_such_link;
using detail::accounts::no_such_login;
using detail::accounts::Purpose;
using detail::accounts::Row;
using detail::accounts::seconds_from_now;
using detail::accounts::use_up;

namespace {

Error login_is_over() {
  return Error::unauthorized("The login has expired. Log in again.");
}

/// Stores the hash of the same password with the current cost; does nothing if the password has
/// changed in the meantime.
Task<> store_anew(const Database& in, const Passwords& passwords, std::shared_ptr<const Row> row,
                  std::string password) {
  const auto stored = co_await passwords.hash(password);
  if (stored) {
    co_await in.exec("update eider_accounts set password = $1 where name = $2 and version = $3",
                     *stored, row->name, row->version);
  }
}

}  // namespace

// Logging in.

/// row      null: does the same work, and fails
/// account  key for counting attempts
Task<Result<std::shared_ptr<const Row>>> Accounts::check_password(std::shared_ptr<const Row> row,
                                                                  std::string account,
                                                                  std::string password,
                                                                  ClientInfo client) {
  auto attempt = logins_.begin(email_key_of(std::move(account)), client);
  if (!attempt) {
    co_return fail(std::move(attempt.error()));
  }
  // Choose, then await: g++ 14 evaluates temporaries of both branches of an awaited `?:`.
  auto verifying = row != nullptr ? passwords_.verify(password, row->password)
                                  : passwords_.verify_unknown_user(password);
  const auto check = co_await std::move(verifying);
  if (!check) {
    attempt->cancel();
    co_return fail(check.error());
  }
  if (!check->matches) {
    co_return fail(no_such_login());
  }
  attempt->succeeded();
  if (check->needs_rehash) {
    co_await store_anew(database_, passwords_, row, std::move(password));
  }
  co_return row;
}

Task<Result<AccountLogin>> Accounts::log_in(std::string email, std::string password,
                                            ClientInfo client) {
  auto row = co_await row_of(email);
  const auto checked =
      co_await check_password(std::move(row), email, std::move(password), std::move(client));
  if (!checked) {
    co_return fail(checked.error());
  }
  co_return co_await login_of(*checked);
}

Task<AccountLogin> Accounts::login_of(std::shared_ptr<const Row> row) const {
  AccountLogin login{row->name, row->version};
  login.needs_second_factor = co_await two_factor_.is_on(row->name);
  co_return login;
}

Task<Result<AccountLogin>> Accounts::log_in_verified(UserKey key) const {
  const auto row = co_await row_of_key(std::move(key.text));
  if (row == nullptr) {
    co_return fail(Error::unauthorized("The account no longer exists."));
  }
  co_return co_await login_of(row);
}

/// Returns false if the password or address changed after the login began, or if a second factor
/// was turned on: such a login must not create a session.
Task<bool> Accounts::is_current(AccountLogin login) const {
  const auto now = co_await row_of_key(login.key);
  if (now == nullptr || now->version != login.version) {
    co_return false;
  }
  if (login.needs_second_factor) {  // the code is pending, or was accepted
    co_return true;
  }
  const bool is_on = co_await two_factor_.is_on(login.key);
  co_return !is_on;
}

bool Accounts::begin(const Session<>& session, AccountLogin login) const {
  if (login.needs_second_factor) {
    session.set_pending_login(
        two_factor_.seal_pending({.key = std::move(login.key), .version = login.version}));
    return false;
  }
  std::string key = login.key;
  session.log_in(std::move(key), [this, login = std::move(login)] { return is_current(login); });
  return true;
}

std::string Accounts::begin(const Session<>& session, AccountLogin login, std::string next) const {
  if (begin(session, std::move(login))) {
    return next;
  }
  const std::string& page = options_.two_factor.page;
  return page + (page.contains('?') ? "&next=" : "?next=") + percent_encode(next);
}

// The second step.

bool Accounts::is_pending(const Session<>& session) const {
  return two_factor_.open_pending(session.pending_login()).has_value();
}

/// Keeps `needs_second_factor` set in a finished login: the second step was done.
Task<Result<void>> Accounts::finish(Session<> session, std::string code, ClientInfo client,
                                    std::string language) {
  const auto pending = two_factor_.open_pending(session.pending_login());
  if (!pending) {
    co_return fail(login_is_over());
  }
  const AccountLogin login{pending->key, pending->version, true};
  if (const bool still = co_await is_current(login); !still) {
    session.set_pending_login({});
    co_return fail(login_is_over());
  }
  auto attempt = codes_.begin(login.key, client);
  if (!attempt) {
    co_return fail(std::move(attempt.error()));
  }
  bool is_right = false;
  try {
    is_right = co_await two_factor_.use_code(login.key, std::move(code), std::move(language));
  } catch (...) {
    attempt->cancel();
    throw;
  }
  if (!is_right) {
    co_return fail(Error::invalid({{"/code", "is wrong or was already used"}}));
  }
  attempt->succeeded();
  session.log_in(login.key, [this, login] { return is_current(login); });
  co_return Result<void>();
}

// Links that log in.

Task<std::shared_ptr<const Accounts::Link>> Accounts::find_link(std::string purpose,
                                                                std::string token) const {
  auto link = co_await database_.one<Link>(
      "select digest, purpose, account, email, version from eider_account_links "
      "where digest = $1 and purpose = $2 and expires > $3",
      digest_of(token), purpose, seconds_from_now());
  co_return link ? std::make_shared<const Link>(std::move(*link)) : nullptr;
}

Task<std::shared_ptr<const Row>> Accounts::row_of_login_link(
    std::shared_ptr<const Link> link) const {
  auto row = co_await row_of_key(link == nullptr ? "" : link->account);
  const bool is_current_link = link != nullptr && row != nullptr && row->version == link->version;
  co_return is_current_link ? row : nullptr;
}

Task<Result<std::string>> Accounts::login_link_address(std::string token) const {
  auto link = co_await find_link(Purpose::kLogIn, std::move(token));
  const auto row = co_await row_of_login_link(std::move(link));
  if (row == nullptr) {
    co_return fail(no_such_link());
  }
  co_return row->email;
}

/// Makes all login links of the account invalid, including links requested earlier.
Task<Result<AccountLogin>> Accounts::log_in_by_link(std::string token, ClientInfo client) {
  const auto link = co_await find_link(Purpose::kLogIn, std::move(token));
  const auto row = co_await row_of_login_link(link);
  if (row == nullptr) {
    co_return fail(no_such_link());
  }
  Transaction transaction = co_await database_.begin();
  if (!co_await use_up(transaction, link->digest)) {
    co_return fail(no_such_link());
  }
  co_await transaction.exec("delete from eider_account_links where account = $1 and purpose = $2",
                            row->name, Purpose::kLogIn);
  co_await transaction.commit();
  logins_.make_known(email_key_of(row->email), client);
  co_return co_await login_of(row);
}

}  // namespace eider
