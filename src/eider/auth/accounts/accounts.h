// People with an address and a password: sign up, confirm, log in, reset, change, by mailed links.
// Must not show pages or set cookies: handlers do, and begin sessions for whom this returns.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/client.h"
#include "eider/auth/accounts/account_letter.h"
#include "eider/auth/mail/outbox.h"
#include "eider/auth/passwords/passwords.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/log.h"
#include "eider/data/db/database.h"
#include "eider/web/middleware/login_throttle.h"

namespace eider {

namespace detail::accounts {
struct Ask;
struct Link;
struct Row;
}  // namespace detail::accounts

/// How often mails may be asked for: each one counts, whether there is such an account or not.
[[nodiscard]] LoginLimits account_mail_limits();

struct AccountsOptions {
  /// Where people reach this service: "https://shop.example". Never taken from a request, whose
  /// Host is whatever its sender says.
  std::string origin = {};
  /// Pages of this service that links lead to. Each reads the token out of the address's fragment,
  /// which no browser sends to anybody, and posts it when a button is pressed.
  std::string confirm_page = "/confirm";
  std::string reset_page = "/reset";
  std::string address_page = "/address";
  /// Where browsers are sent that ask for a page of a handler that takes an Account (see `users`).
  std::string login_page = "/log-in";
  /// Of all mails.
  MailAddress from = "";
  /// By which mails name the service.
  std::string name = {};
  /// The mails themselves, in place of English ones without HTML. They go to `AccountLetter::to`
  /// alone, whoever else is in their to, cc and bcc: a copy of a link is a copy of an account.
  std::function<Mail(const AccountLetter&)> write = {};
  Duration confirm_within = std::chrono::hours(24);
  Duration reset_within = std::chrono::hours(1);
  /// Characters; how many bytes there may be is the PasswordOptions'.
  std::size_t password_length_min = 8;
  PasswordOptions passwords = {};
  LoginLimits logins = {};
  LoginLimits mails = account_mail_limits();
  /// Of what was asked for and waits for its mail to be written; beyond it a 503.
  std::size_t asked_max = 10'000;
  /// Of mails that cannot be written. Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// An account, as applications see it: rows of their own refer to `key`. A parameter of handlers
/// that are for those who are logged in; std::optional<Account> for everybody.
struct Account {
  std::string key;
  std::string email;
};

/// Somebody who has shown just now who he is, for Accounts::begin.
///
/// key      of the account
/// version  of the account then: one more with each password and each address
struct AccountLogin {
  std::string key;
  std::int64_t version = 0;
};

template <>
struct Extract<Account> : ExtractSlot<Account> {
  static constexpr bool kOwns = true;
};

/// A module, of which there is one for an app (see `accounts` below). Its tables, eider_accounts,
/// eider_account_links and eider_account_asks, are made where they are not there.
///
/// Addresses are compared in lower case, and stored as their owners typed them. Neither a response
/// nor its time shows whether an address has an account: each request for a mail writes one row,
/// and the work for it begins after the response.
///
/// A token has 256 bits, of which only the digest is stored. It is valid for one purpose, once, for
/// a limited time, and until the account's password or address changes.
///
/// What is asked for with a `language`, such as Translator::language(), has its letter in it, as
/// far as AccountsOptions::write knows that.
///
/// Errors of all: 422 that names "/email" or "/password"; 429 with Retry-After; 503; what they are
/// given is read before the call returns.
class Accounts {
 public:
  static constexpr std::string_view kName = "accounts";

  /// Throws a Failure for an origin that is none, without `from`, and for SignedSessions.
  Accounts(Database database, Outbox& outbox, Sessions sessions, AccountsOptions options);
  ~Accounts();
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  /// Sends a link that makes the account, or a mail that says that there is one. Until then there
  /// is none: nobody holds an address that is not his.
  [[nodiscard]] Task<Result<void>> sign_up(std::string email, Client client,
                                           std::string language = {});
  /// Takes the link's token, and makes the account. Its password is chosen here and no sooner, by
  /// whoever reads the mail: whoever has asked for it may be somebody else.
  ///
  /// errors  410 for a token that is none, or no more
  [[nodiscard]] Task<Result<AccountLogin>> confirm(std::string token, std::string password);

  /// errors  401, the same for a wrong password and for no account
  [[nodiscard]] Task<Result<AccountLogin>> log_in(std::string email, std::string password,
                                                  Client client);
  /// Makes the session that account's. Where the account gets another password or address before
  /// the session is stored, the answer is a 401 and there is no session: `reset` ends those that
  /// there are, and no login by the old password comes behind it.
  void begin(const Session<>& session, AccountLogin login) const;

  /// Sends a link by which a new password is chosen, if there is an account.
  [[nodiscard]] Task<Result<void>> ask_reset(std::string email, Client client,
                                             std::string language = {});
  /// Takes the link's token, ends all sessions of the account, and tells its owner by mail.
  ///
  /// errors  410 likewise
  [[nodiscard]] Task<Result<AccountLogin>> reset(std::string token, std::string password,
                                                 Client client, std::string language = {});

  /// Ends all sessions but the one that asks, and tells the owner by mail.
  ///
  /// errors  401 for a wrong `old_password`, and for a session that is nobody's
  [[nodiscard]] Task<Result<void>> change_password(Session<> session, std::string old_password,
                                                   std::string password, Client client,
                                                   std::string language = {});

  /// Sends a link to the new address, for whoever is logged in to this account.
  ///
  /// errors  401 likewise
  [[nodiscard]] Task<Result<void>> ask_address(UserKey key, std::string password, std::string email,
                                               Client client, std::string language = {});
  /// Takes that link's token, and tells the old address. Somebody who has got a mail that another
  /// has asked for is not logged in to that account, and so gives it no address of his.
  ///
  /// key     of who is logged in
  /// errors  403 for a link of another account, which stays good; 410 likewise, and where the
  ///         address has got an account meanwhile
  [[nodiscard]] Task<Result<void>> change_address(UserKey key, std::string token,
                                                  std::string language = {});

  /// Tells the owner by mail: what PasskeyRoutes::adding is for. Nothing where there is no such
  /// account.
  [[nodiscard]] Task<> tell_of_passkey(UserKey key, std::string language = {});

  /// The account of an address that somebody else vouches for, such as an OpenID provider that says
  /// `email_verified`; it is made where there is none. Nobody knows a new one's password: its owner
  /// asks for one by `ask_reset`. Begin its session by `session.begin_for(account.key)`.
  [[nodiscard]] Task<Result<Account>> find_or_make(std::string verified_email);
  /// The same of a provider's login that is new: the owner of one that was there is told by mail.
  [[nodiscard]] Task<Result<Account>> find_to_link(std::string verified_email,
                                                   std::string language = {});
  /// Nothing where there is none any more.
  [[nodiscard]] Task<std::optional<Account>> find(UserKey key) const;

  [[nodiscard]] PasswordCounts password_counts() const { return passwords_.counts(); }

  // Of the module.
  [[nodiscard]] Task<> start();
  [[nodiscard]] Task<> run();

 private:
  using Ask = detail::accounts::Ask;
  using Link = detail::accounts::Link;
  using Row = detail::accounts::Row;

  Task<Result<void>> ask_mail(Ask ask, Client client);
  Task<Result<void>> put_ask(Ask ask);
  Task<std::shared_ptr<const Row>> row_of(std::string email) const;
  Task<std::shared_ptr<const Row>> row_of_key(std::string key) const;
  Task<Result<std::shared_ptr<const Row>>> check_password(std::shared_ptr<const Row> row,
                                                          std::string account, std::string password,
                                                          Client client);
  Task<bool> is_current(AccountLogin login) const;
  Task<std::shared_ptr<const Link>> find_link(std::string purpose, std::string token) const;

  Task<> work_off();
  Task<> try_to_answer(std::shared_ptr<const Ask> ask);
  Task<> note_failure(std::shared_ptr<const Ask> ask, std::string fault);
  Task<> answer(std::shared_ptr<const Ask> ask);
  Task<> answer_in(const Transaction& at, std::shared_ptr<const Ask> ask);
  Task<> send_link(const Transaction& at, Link link, std::string language);
  Task<> send(const Transaction& at, AccountLetter letter);

  const Database database_;
  Outbox& outbox_;
  const Sessions sessions_;
  const AccountsOptions options_;
  const Passwords passwords_;
  const LoginThrottle logins_;
  const LoginThrottle mails_;
  std::atomic<std::int64_t> asked_{0};  // as last counted, and what was asked since
};

/// Gives an app its accounts, which handlers take as State<Accounts>, and handlers an Account:
///
///     Outbox& mails = outbox(app, database, {.transport = smtp({.url = own.smtp_url})});
///     const Sessions visits = sessions<Visit>(app, {.store = sql_sessions(database)});
///     accounts(app, database, mails, visits,
///              {.origin = "https://shop.example", .from = "no-reply@shop.example"});
///     app.get("/orders", [](const Account& account) { … });
///
/// sessions  in a store: signed cookies cannot be ended from here
Accounts& accounts(App& app, Database database, Outbox& outbox, Sessions sessions,
                   AccountsOptions options);

}  // namespace eider
