// User accounts with an address and a password: sign-up, confirmation, login, reset and changes by
// mailed links.
// Layering: must not show pages or set cookies; handlers do, and start sessions for the returned
// user.
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
#include "eider/auth/accounts/account_mail.h"
#include "eider/auth/accounts/totp.h"
#include "eider/auth/accounts/two_factor.h"
#include "eider/auth/mail/outbox.h"
#include "eider/auth/passwords/passwords.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/log.h"
#include "eider/core/base/no_dangling.h"
#include "eider/data/db/database.h"
#include "eider/web/middleware/login_throttle.h"

namespace eider {

namespace detail::accounts {
struct Ask;
struct Link;
struct Row;
}  // namespace detail::accounts

/// Limits how often mails can be requested: each request counts, whether the account exists or not.
[[nodiscard]] LoginLimits account_mail_limits();

struct AccountsOptions {
  /// Public origin of this service: "https://shop.example". It is never taken from a request,
  /// because clients choose the Host header.
  std::string origin = {};
  /// Pages of this service that links lead to. Each page reads the token from the fragment of the
  /// URL, which browsers do not send, and posts it when the user presses a button.
  std::string confirm_page = "/confirm";
  std::string reset_page = "/reset";
  std::string address_page = "/address";
  /// Page to which login links lead ("/log-in/link?token=…"), with a button that posts the token:
  /// scanners that open each link of a mail do not use it up. Empty: there are no login links.
  std::string login_link_page = {};
  /// Page to which browsers are redirected if a handler needs an Account and the user is not logged
  /// in (see `add_users`).
  std::string login_page = "/log-in";
  /// Sender of all mails.
  MailAddress from = "";
  /// Name of the service in mails.
  std::string name = {};
  /// Replaces the default mails (English, without HTML). Mails are sent only to `AccountMail::to`;
  /// their `to`, `cc` and `bcc` are ignored, because a copy of a link is access to the account.
  std::function<Mail(const AccountMail&)> write = {};
  Duration confirm_within = std::chrono::hours(24);
  Duration reset_within = std::chrono::hours(1);
  Duration login_link_within = std::chrono::minutes(15);
  /// Minimum number of characters; PasswordOptions sets the maximum, in bytes.
  std::size_t password_length_min = 8;
  PasswordOptions passwords = {};
  LoginLimits logins = {};
  LoginLimits mails = account_mail_limits();
  /// Codes of an authenticator app after the password. Default: off.
  TwoFactorOptions two_factor = {};
  /// Maximum number of requests whose mails are not written yet; above it, requests get a 503.
  std::size_t requests_max = 10'000;
  /// Log for mails that cannot be written. Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// An account: your own tables refer to `key`. As a handler parameter it requires a login;
/// std::optional<Account> accepts all users.
struct Account {
  std::string key;
  std::string email;
};

/// A user who has just been authenticated, for Accounts::begin.
///
/// key      of the account
/// version  version of the account, which increases with each change of password or address
/// needs_second_factor  the account has two-factor authentication, and the code is missing
struct AccountLogin {
  std::string key;
  std::int64_t version = 0;
  bool needs_second_factor = false;
};

template <>
struct Extract<Account> : ExtractExtension<Account> {
  static constexpr bool kOwnsData = true;
};

/// The accounts of an app: a module, see `add_accounts` below. Creates its tables if necessary:
/// eider_accounts, eider_account_links, eider_account_requests, eider_account_factors and
/// eider_account_recovery_codes. For SQLite and PostgreSQL; the app does not start with MariaDB.
///
/// Addresses are compared in lower case, and stored as their owners typed them. Neither a response
/// nor its time shows whether an address has an account: each request for a mail writes one row,
/// and the work for it begins after the response.
///
/// A token has 256 bits, of which only the digest is stored. It is valid for one purpose, once, for
/// a limited time, and until the account's password or address changes.
///
/// If a function has a `language`, such as Translator::language(), its mail is written in that
/// language, as far as AccountsOptions::write supports it.
///
/// Errors of all functions: 422 for "/email" or "/password"; 429 with Retry-After; 503. Arguments
/// are read before the call returns.
class Accounts {
 public:
  static constexpr std::string_view kName = "accounts";

  /// Throws a Failure for an invalid origin, without `from`, and for SignedSessions.
  Accounts(Database database, Outbox& outbox, Sessions sessions, AccountsOptions options);
  ~Accounts();
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  /// Sends a link that creates the account, or a mail that says that the account already exists.
  /// The account is created only after confirmation, so users cannot claim addresses of others.
  [[nodiscard]] Task<Result<void>> sign_up(std::string email, ClientInfo client,
                                           std::string language = {});
  /// Accepts the token of the link, and creates the account. The password is set here and not at
  /// sign-up, because only the reader of the mail owns the address.
  ///
  /// errors  410 for an invalid or expired token
  [[nodiscard]] Task<Result<AccountLogin>> confirm(std::string token, std::string password);

  /// errors  401, the same for a wrong password and for no account
  [[nodiscard]] Task<Result<AccountLogin>> log_in(std::string email, std::string password,
                                                  ClientInfo client);
  /// Logs the session in to that account. If the password or the address changes before the session
  /// is stored, the response is a 401 and there is no session. So `reset` ends all existing
  /// sessions, and no login with the old password can follow.
  ///
  /// If the account has two-factor authentication, the user is not logged in: the session only
  /// remembers the login for `finish`, also after a reset and a login link.
  ///
  /// returns  whether the user is logged in; false: redirect to the page for the code
  bool begin(const Session<>& session, AccountLogin login) const;
  /// As above, and returns where to redirect: `next`, or TwoFactorOptions::page with `next` in its
  /// query.
  ///
  ///     co_return Redirect(accounts->begin(session, *login, safe_redirect_path(form->next)));
  [[nodiscard]] std::string begin(const Session<>& session, AccountLogin login,
                                  std::string next) const;
  /// Returns whether the session waits for a code, for the page with the form for it.
  [[nodiscard]] bool is_pending(const Session<>& session) const;
  /// Accepts the code of the authenticator app, or a recovery code, and logs the session in.
  ///
  /// errors  401 if no login waits, or it has expired; 422 for a wrong or used "/code"; 429
  [[nodiscard]] Task<Result<void>> finish(Session<> session, std::string code, ClientInfo client,
                                          std::string language = {});
  /// Turns two-factor authentication on, if `code` shows that the authenticator app has the secret
  /// of the setup: the hidden field `token` of its form. Ends all other sessions, because their
  /// logins had only one step, and informs the owner by mail. Call it only after a recent login.
  ///
  /// errors  410 as in TwoFactor::setup_of; 422 for "/code"; 409 if it is on; 401 for a session
  ///         without a user
  [[nodiscard]] Task<Result<RecoveryCodes>> turn_on_two_factor(Session<> session, std::string token,
                                                               std::string code,
                                                               std::string language = {});
  /// Two-factor authentication: its setup and its status.
  [[nodiscard]] const TwoFactor& two_factor() const noexcept { return two_factor_; }

  /// Sends a link that logs in, if there is an account. See AccountsOptions::login_link_page.
  ///
  /// errors  404 if there are no login links
  [[nodiscard]] Task<Result<void>> ask_login_link(std::string email, ClientInfo client,
                                                  std::string language = {});
  /// Returns the address of the account that a link logs in to. Show it next to the button, because
  /// an attacker can send a link to the attacker's own account. The link stays valid.
  ///
  /// errors  410 as in `confirm`
  [[nodiscard]] Task<Result<std::string>> login_link_address(std::string token) const;
  /// Accepts the token of the link, once, for `begin`. Other login links of the account become
  /// invalid, too.
  ///
  /// errors  410 as in `confirm`
  [[nodiscard]] Task<Result<AccountLogin>> log_in_by_link(std::string token, ClientInfo client);
  /// Returns a login, for `begin`, of a user whom another service has authenticated: `begin`
  /// requires the second factor if the account has one. Unlike that, session.log_in does not.
  ///
  /// errors  401 if the account does not exist
  [[nodiscard]] Task<Result<AccountLogin>> log_in_verified(UserKey key) const;

  /// Sends a link by which a new password is chosen, if there is an account.
  [[nodiscard]] Task<Result<void>> send_reset_link(std::string email, ClientInfo client,
                                                   std::string language = {});
  /// Accepts the token of the link, ends all sessions of the account, and informs its owner by
  /// mail.
  ///
  /// errors  410 as in `confirm`
  [[nodiscard]] Task<Result<AccountLogin>> reset(std::string token, std::string password,
                                                 ClientInfo client, std::string language = {});

  /// Ends all other sessions, and informs the owner by mail.
  ///
  /// errors  401 for a wrong `old_password`, and for a session without a user; 409 if another
  ///         request has changed the account meanwhile
  [[nodiscard]] Task<Result<void>> change_password(Session<> session, std::string old_password,
                                                   std::string password, ClientInfo client,
                                                   std::string language = {});

  /// Sends a link to the new address, for the user who is logged in to this account.
  ///
  /// errors  401 as in `change_password`
  [[nodiscard]] Task<Result<void>> send_address_link(UserKey key, std::string password,
                                                     std::string email, ClientInfo client,
                                                     std::string language = {});
  /// Accepts the token of that link, and informs the old address. The user must be logged in to the
  /// account, so that users who receive an unexpected link cannot add their address to another
  /// account.
  ///
  /// key     of the logged-in user
  /// errors  403 for a link of another account, which stays valid; 410 as in `confirm`, and if the
  ///         address now has an account
  [[nodiscard]] Task<Result<void>> change_address(UserKey key, std::string token,
                                                  std::string language = {});

  /// Informs the owner by mail; use it for PasskeyRoutes::before_add. Does nothing if the account
  /// does not exist.
  [[nodiscard]] Task<> notify_passkey_added(UserKey key, std::string language = {});
  /// As above, for ApiKeyOptions::before_create.
  [[nodiscard]] Task<> notify_api_key_added(UserKey key, std::string language = {});

  /// Returns the account of an address that another service has verified, such as an OpenID
  /// provider with `email_verified`; creates it if necessary. A new account has no known password:
  /// its owner requests one with `send_reset_link`. Start its session with `log_in_verified` and
  /// `begin`.
  [[nodiscard]] Task<Result<Account>> find_or_create(std::string verified_email);
  /// As above, for a new login with a provider: the owner of an existing account is informed by
  /// mail.
  [[nodiscard]] Task<Result<Account>> find_or_create_linked(std::string verified_email,
                                                            std::string language = {});
  /// Returns nothing if the account does not exist.
  [[nodiscard]] Task<std::optional<Account>> find(UserKey key) const;

  [[nodiscard]] PasswordCounts password_counts() const { return passwords_.counts(); }

  // For the module.
  [[nodiscard]] Task<> start();
  [[nodiscard]] Task<> run();

 private:
  using Ask = detail::accounts::Ask;
  using Link = detail::accounts::Link;
  using Row = detail::accounts::Row;

  Task<Result<void>> request_mail(Ask ask, ClientInfo client);
  Task<Result<void>> add_request(Ask ask);
  Task<std::shared_ptr<const Row>> row_of(std::string email) const;
  Task<std::shared_ptr<const Row>> row_of_key(std::string key) const;
  Task<Result<std::shared_ptr<const Row>>> check_password(std::shared_ptr<const Row> row,
                                                          std::string account, std::string password,
                                                          ClientInfo client);
  Task<AccountLogin> login_of(std::shared_ptr<const Row> row) const;
  Task<bool> is_current(AccountLogin login) const;
  Task<std::shared_ptr<const Row>> row_of_login_link(std::shared_ptr<const Link> link) const;
  Task<std::shared_ptr<const Link>> find_link(std::string purpose, std::string token) const;

  Task<> work_off();
  [[nodiscard]] bool may_have_requests() const noexcept;
  Task<> try_to_respond(std::shared_ptr<const Ask> ask);
  Task<> note_failure(std::shared_ptr<const Ask> ask, std::string fault);
  Task<> respond(std::shared_ptr<const Ask> ask);
  Task<> answer_in(const Transaction& at, std::shared_ptr<const Ask> ask);
  Task<> send_link(const Transaction& at, Link link, std::string language);
  Task<> send(const Transaction& at, AccountMail letter);

  const Database database_;
  Outbox& outbox_;
  const Sessions sessions_;
  const AccountsOptions options_;
  const Passwords passwords_;
  const LoginThrottle logins_;
  const LoginThrottle mails_;
  const LoginThrottle codes_;
  const TwoFactor two_factor_;
  std::atomic<std::int64_t> asked_{0};  // last count, plus the requests added since
};

/// Adds accounts to an app. Handlers access them with State<Accounts>, and use Account as a
/// parameter:
///
///     Jobs& jobs = add_jobs(app, database);
///     Outbox& mails = add_outbox(app, jobs, {.transport = smtp({.url = own.smtp_url})});
///     const Sessions visits = add_sessions<Visit>(app, {.store = sql_sessions(database)});
///     add_accounts(app, database, mails, visits,
///              {.origin = "https://shop.example", .from = "no-reply@shop.example"});
///     app.get("/orders", [](const Account& account) { … });
///
/// sessions  with a store, because sessions in signed cookies cannot be ended by the server
EIDER_NO_DANGLING Accounts& add_accounts(App& app, Database database, Outbox& outbox,
                                         Sessions sessions, AccountsOptions options);

}  // namespace eider
