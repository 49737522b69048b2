#include "eider/auth/accounts/accounts.h"

#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/app/life/log_stderr.h"
#include "eider/auth/accounts/account_rows.h"
#include "eider/core/base/failure.h"
#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/type_of.h"
#include "eider/protocols/http/url.h"

namespace eider {

using detail::accounts::Ask;
using detail::accounts::digest_of;
using detail::accounts::email_key_of;
using detail::accounts::kKeyBytes;
using detail::accounts::no_such_link;
using detail::accounts::no_such_login;
using detail::accounts::note_ending;
using detail::accounts::note_for_owner;
using detail::accounts::Purpose;
using detail::accounts::random_text;
using detail::accounts::Row;
using detail::accounts::seconds_from_now;
using detail::accounts::use_up;
using detail::accounts::write_ask;

namespace {

Error no_link_of_this_account() {
  return Error::forbidden(
      "This link belongs to another account. Log in to that account, and open the link again.");
}

std::optional<Error> fault_of(const std::string& email) {
  if (IsEmail::check(email)) {
    return std::nullopt;
  }
  return Error::invalid({{"/email", "must be an e-mail address, for example name@example.org"}});
}

/// Checks only the minimum length; Passwords checks the maximum.
std::optional<Error> password_fault_of(const std::string& password, std::size_t length_min) {
  if (reflect::code_points(password) >= length_min) {
    return std::nullopt;
  }
  constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
  return Error::invalid(
      {field_error("/password", reflect::describe_length(reflect::type_of<std::string>(),
                                                         length_min, kUnbounded))});
}

/// Reports an invalid password as an error of the member "/password".
Task<Result<std::string>> hash_of(const Passwords& passwords, std::string password) {
  auto stored = co_await passwords.hash(password);
  if (!stored && stored.error().status() == 422) {
    co_return fail(Error::invalid({{"/password", stored.error().detail()}}));
  }
  co_return stored;
}

Result<void> done() {
  return {};
}

Task<Result<void>> no_login_links() {
  co_return fail(Error::not_found("This service has no login links."));
}

Task<> make_account(const db::Statements& at, AccountLogin made, std::string email,
                    std::string stored) {
  co_await at.exec(
      "insert into eider_accounts(name, email, email_key, password, version, made) "
      "values($1, $2, $3, $4, $5, $6)",
      made.key, email, email_key_of(email), stored, made.version, seconds_from_now());
  // Other sign-up links for this address must not take over the account.
  co_await at.exec("delete from eider_account_links where purpose = $1 and email_key = $2",
                   Purpose::kSignUp, email_key_of(email));
}

/// Does the work that each change needs: deletes the existing links, and informs the owner at the
/// previous address. The worker sends that mail: a full outbox, or a hook that throws, must not
/// prevent owners from recovering their accounts.
Task<> change_row(const Transaction& at, std::shared_ptr<const Row> row, Ask notice) {
  co_await at.exec("delete from eider_account_links where account = $1", row->name);
  notice.id = random_text(kKeyBytes);
  notice.account = row->name;
  notice.email = row->email;
  co_await write_ask(at, std::move(notice));
}

/// returns  false, without a change, if the account has changed since `row` was read
Task<bool> set_password(const Transaction& at, std::shared_ptr<const Row> row, std::string stored,
                        std::string language) {
  const auto changed = co_await at.exec(
      "update eider_accounts set password = $1, version = version + 1 "
      "where name = $2 and version = $3",
      stored, row->name, row->version);
  if (changed.rows != 1) {
    co_return false;
  }
  co_await change_row(at, row,
                      {.purpose = Purpose::kPasswordChanged, .language = std::move(language)});
  co_return true;
}

}  // namespace

LoginLimits account_mail_limits() {
  using std::chrono::minutes;
  using std::chrono::seconds;
  return {.account_and_address = {.free = 3, .first = seconds(30), .max = minutes(15)},
          .address = {.free = 20, .first = seconds(10), .max = minutes(5)},
          .account = {.free = 5, .first = seconds(30), .max = minutes(15)}};
}

Accounts::Accounts(Database database, Outbox& outbox, Sessions sessions, AccountsOptions options)
    : database_(std::move(database)),
      outbox_(outbox),
      sessions_(std::move(sessions)),
      options_([&options] {
        options.log = options.log == nullptr ? stderr_log() : options.log;
        return std::move(options);
      }()),
      passwords_(options_.passwords),
      logins_(options_.logins),
      mails_(options_.mails),
      codes_(options_.two_factor.attempts),
      two_factor_(database_, options_.two_factor, options_.name) {
  if (!IsUrl::check(options_.origin) || options_.origin.ends_with('/')) {
    throw Failure(
        Error::internal("accounts: `origin` must be an origin such as https://shop.example, not '" +
                        options_.origin + "'"));
  }
  if (std::holds_alternative<SignedSessions>(sessions_.options().store)) {
    throw Failure(
        Error::internal("accounts: A password reset must end all sessions, but sessions in signed "
                        "cookies cannot be ended. Use a session store."));
  }
  if (!IsEmail::check(options_.from.email)) {
    throw Failure(Error::internal("accounts: `from` is not a valid e-mail address"));
  }
}

Accounts::~Accounts() = default;

Task<std::shared_ptr<const Row>> Accounts::row_of(std::string email) const {
  auto row = co_await database_.one<Row>(
      "select name, email, password, version from eider_accounts where email_key = $1",
      email_key_of(std::move(email)));
  co_return row ? std::make_shared<const Row>(std::move(*row)) : nullptr;
}

Task<std::shared_ptr<const Row>> Accounts::row_of_key(std::string key) const {
  auto row = co_await database_.one<Row>(
      "select name, email, password, version from eider_accounts where name = $1", key);
  co_return row ? std::make_shared<const Row>(std::move(*row)) : nullptr;
}

Task<std::optional<Account>> Accounts::find(UserKey key) const {
  const auto row = co_await row_of_key(std::move(key.text));
  co_return row == nullptr ? std::nullopt : std::optional(Account{row->name, row->email});
}

Task<Result<Account>> Accounts::find_or_create(std::string verified_email) {
  if (auto fault = fault_of(verified_email)) {
    co_return fail(std::move(*fault));
  }
  auto row = co_await row_of(verified_email);
  if (row == nullptr) {
    auto stored = co_await hash_of(passwords_, random_text(kKeyBytes));
    if (!stored) {
      co_return fail(std::move(stored.error()));
    }
    try {
      Transaction transaction = co_await database_.begin();
      co_await make_account(transaction, {random_text(kKeyBytes), 1}, verified_email, *stored);
      co_await transaction.commit();
    } catch (const db::Failure& failure) {
      if (failure.kind() != db::FailureKind::unique) {  // otherwise another request has created it
        throw;
      }
    }
    row = co_await row_of(std::move(verified_email));
  }
  if (row == nullptr) {
    co_return fail(Error::conflict("The account no longer exists."));
  }
  co_return Account{row->name, row->email};
}

Task<Result<Account>> Accounts::find_or_create_linked(std::string verified_email,
                                                      std::string language) {
  const auto there = co_await row_of(verified_email);
  if (there != nullptr) {
    co_await note_for_owner(database_, there->name, Purpose::kProviderLinked, std::move(language));
  }
  co_return co_await find_or_create(std::move(verified_email));
}

// Requests: the work before the response is the same for every address.

Task<Result<void>> Accounts::add_request(Ask ask) {
  if (asked_.fetch_add(1, std::memory_order_relaxed) >=
      static_cast<std::int64_t>(options_.requests_max)) {
    co_return fail(Error::unavailable("The server is overloaded. Try again later."));
  }
  ask.id = random_text(kKeyBytes);
  co_await write_ask(database_, std::move(ask));
  co_return done();
}

Task<Result<void>> Accounts::sign_up(std::string email, ClientInfo client, std::string language) {
  return request_mail(
      {.purpose = Purpose::kSignUp, .email = std::move(email), .language = std::move(language)},
      std::move(client));
}

Task<Result<void>> Accounts::send_reset_link(std::string email, ClientInfo client,
                                             std::string language) {
  return request_mail(
      {.purpose = Purpose::kReset, .email = std::move(email), .language = std::move(language)},
      std::move(client));
}

Task<Result<void>> Accounts::ask_login_link(std::string email, ClientInfo client,
                                            std::string language) {
  if (options_.login_link_page.empty()) {
    return no_login_links();
  }
  return request_mail(
      {.purpose = Purpose::kLogIn, .email = std::move(email), .language = std::move(language)},
      std::move(client));
}

/// Counts the attempt only if the request was stored: otherwise no mail is sent, and the client
/// need not wait.
Task<Result<void>> Accounts::request_mail(Ask ask, ClientInfo client) {
  if (auto fault = fault_of(ask.email)) {
    co_return fail(std::move(*fault));
  }
  auto attempt = mails_.begin(email_key_of(ask.email), client);
  if (!attempt) {
    co_return fail(std::move(attempt.error()));
  }
  Result<void> asked;
  try {
    asked = co_await add_request(std::move(ask));
  } catch (...) {
    attempt->cancel();
    throw;
  }
  if (!asked) {
    attempt->cancel();
  }
  co_return asked;
}

Task<Result<void>> Accounts::send_address_link(UserKey key, std::string password, std::string email,
                                               ClientInfo client, std::string language) {
  if (auto fault = fault_of(email)) {
    co_return fail(std::move(*fault));
  }
  auto row = co_await row_of_key(key.text);
  std::string account = row == nullptr ? key.text : row->email;
  const auto checked =
      co_await check_password(std::move(row), std::move(account), std::move(password), client);
  if (!checked) {
    co_return fail(checked.error());
  }
  co_return co_await request_mail({.purpose = Purpose::kAddress,
                                   .account = (*checked)->name,
                                   .email = std::move(email),
                                   .version = (*checked)->version,
                                   .language = std::move(language)},
                                  std::move(client));
}

// Links.

Task<Result<AccountLogin>> Accounts::confirm(std::string token, std::string password) {
  if (auto fault = password_fault_of(password, options_.password_length_min)) {
    co_return fail(std::move(*fault));
  }
  // Before the expensive hash: clients without a valid token must not cause one.
  const auto link = co_await find_link(Purpose::kSignUp, std::move(token));
  if (link == nullptr) {
    co_return fail(no_such_link());
  }
  const auto stored = co_await hash_of(passwords_, std::move(password));
  if (!stored) {
    co_return fail(stored.error());
  }
  const AccountLogin made{random_text(kKeyBytes), 1};
  try {
    Transaction transaction = co_await database_.begin();
    if (!co_await use_up(transaction, link->digest)) {
      co_return fail(no_such_link());
    }
    co_await make_account(transaction, made, link->email, *stored);
    co_await transaction.commit();
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::unique) {
      throw;
    }
    co_return fail(no_such_link());
  }
  co_return made;
}

Task<Result<AccountLogin>> Accounts::reset(std::string token, std::string password,
                                           ClientInfo client, std::string language) {
  if (auto fault = password_fault_of(password, options_.password_length_min)) {
    co_return fail(std::move(*fault));
  }
  const auto link = co_await find_link(Purpose::kReset, std::move(token));
  const auto row = co_await row_of_key(link == nullptr ? "" : link->account);
  if (link == nullptr || row == nullptr || row->version != link->version) {
    co_return fail(no_such_link());
  }
  auto stored = co_await hash_of(passwords_, std::move(password));
  if (!stored) {
    co_return fail(std::move(stored.error()));
  }
  const std::string ending_id = random_text(kKeyBytes);
  {
    Transaction transaction = co_await database_.begin();
    if (!co_await use_up(transaction, link->digest)) {
      co_return fail(no_such_link());
    }
    if (!co_await set_password(transaction, row, std::move(*stored), std::move(language))) {
      co_return fail(no_such_link());
    }
    co_await note_ending(transaction, ending_id, row->name);
    co_await transaction.commit();
  }
  (void)co_await sessions_.log_out_all(row->name);
  co_await database_.exec("delete from eider_account_requests where id = $1", ending_id);
  logins_.make_known(email_key_of(row->email), client);
  AccountLogin login{row->name, row->version + 1};
  login.needs_second_factor = co_await two_factor_.is_on(row->name);
  co_return login;
}

Task<Result<void>> Accounts::change_password(Session<> session, std::string old_password,
                                             std::string password, ClientInfo client,
                                             std::string language) {
  if (auto fault = password_fault_of(password, options_.password_length_min)) {
    co_return fail(std::move(*fault));
  }
  auto found = co_await row_of_key(session.user());
  if (found == nullptr) {
    co_return fail(no_such_login());
  }
  std::string account = found->email;
  const auto row = co_await check_password(std::move(found), std::move(account),
                                           std::move(old_password), std::move(client));
  if (!row) {
    co_return fail(row.error());
  }
  auto stored = co_await hash_of(passwords_, std::move(password));
  if (!stored) {
    co_return fail(std::move(stored.error()));
  }
  const std::string ending_id = random_text(kKeyBytes);
  {
    Transaction transaction = co_await database_.begin();
    if (!co_await set_password(transaction, *row, std::move(*stored), std::move(language))) {
      co_return fail(Error::conflict("The password was changed in the meantime."));
    }
    co_await note_ending(transaction, ending_id, (*row)->name);
    co_await transaction.commit();
  }
  (void)co_await sessions_.log_out_others(session);
  co_await database_.exec("delete from eider_account_requests where id = $1", ending_id);
  co_return done();
}

Task<Result<void>> Accounts::change_address(UserKey key, std::string token, std::string language) {
  const auto link = co_await find_link(Purpose::kAddress, std::move(token));
  if (link == nullptr) {
    co_return fail(no_such_link());
  }
  if (link->account != key.text) {
    co_return fail(no_link_of_this_account());
  }
  const auto row = co_await row_of_key(link->account);
  try {
    Transaction transaction = co_await database_.begin();
    if (row == nullptr || !co_await use_up(transaction, link->digest)) {
      co_return fail(no_such_link());
    }
    const auto changed = co_await transaction.exec(
        "update eider_accounts set email = $1, email_key = $2, version = version + 1 "
        "where name = $3 and version = $4",
        link->email, email_key_of(link->email), link->account, link->version);
    if (changed.rows != 1) {
      co_return fail(no_such_link());
    }
    co_await change_row(transaction, row,
                        {.purpose = Purpose::kAddressChanged, .language = std::move(language)});
    co_await transaction.commit();
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::unique) {
      throw;
    }
    co_return fail(no_such_link());
  }
  co_return done();
}

Task<> Accounts::notify_passkey_added(UserKey key, std::string language) {
  co_await note_for_owner(database_, std::move(key.text), Purpose::kPasskeyAdded,
                          std::move(language));
}

Task<> Accounts::notify_api_key_added(UserKey key, std::string language) {
  co_await note_for_owner(database_, std::move(key.text), Purpose::kApiKeyAdded,
                          std::move(language));
}

Task<Result<RecoveryCodes>> Accounts::turn_on_two_factor(Session<> session, std::string token,
                                                         std::string code, std::string language) {
  if (session.user().empty()) {
    co_return fail(Error::unauthorized("Log in first."));
  }
  const std::string ending_id = random_text(kKeyBytes);
  auto codes = co_await two_factor_.turn_on({session.user()}, std::move(token), std::move(code),
                                            ending_id, std::move(language));
  if (codes) {
    // The page that shows the codes has forms, whose CSRF tokens belong to the id of this session.
    (void)co_await sessions_.end_others(session);
    co_await database_.exec("delete from eider_account_requests where id = $1", ending_id);
  }
  co_return codes;
}

Accounts& add_accounts(App& app, Database database, Outbox& outbox, Sessions sessions,
                       AccountsOptions options) {
  add_users(app, sessions,
            [](UserKey key, State<Accounts> all) -> Task<Result<Account>> {
              auto account = co_await all->find(std::move(key));
              if (!account) {
                co_return fail(Error::unauthorized("The account no longer exists."));
              }
              co_return std::move(*account);
            },
            {.login_page = options.login_page});
  return app.add_module<Accounts>(std::move(database), outbox, std::move(sessions),
                                  std::move(options));
}

}  // namespace eider
