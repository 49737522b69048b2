// The work after the responses: finds out whether an address has an account, and sends the mails.
#include <atomic>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/auth/accounts/account_rows.h"
#include "eider/auth/accounts/accounts.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/token.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {

using detail::accounts::Ask;
using detail::accounts::digest_of;
using detail::accounts::email_key_of;
using detail::accounts::Purpose;
using detail::accounts::random_text;
using detail::accounts::seconds_from_now;

namespace detail::accounts {

namespace {
/// Time at which this process last wrote a request. The worker finds the row after the commit.
std::atomic<Instant> last_written{Instant()};
}  // namespace

Task<> write_ask(const db::Statements& at, Ask ask, Duration pause) {
  last_written.store(Loop::current().now(), std::memory_order_relaxed);
  co_await at.exec(
      "insert into eider_account_requests(id, purpose, account, email, version, tries, due, "
      "language) "
      "values($1, $2, $3, $4, $5, 0, $6, $7)",
      ask.id, ask.purpose, ask.account, ask.email, ask.version, seconds_from_now(pause),
      ask.language);
}

Task<> note_for_owner(const db::Statements& at, std::string account, std::string purpose,
                      std::string language) {
  const auto email =
      co_await at.one<std::string>("select email from eider_accounts where name = $1", account);
  if (!email) {
    co_return;
  }
  co_await write_ask(at, {.id = random_text(kKeyBytes),
                          .purpose = std::move(purpose),
                          .account = std::move(account),
                          .email = *email,
                          .language = std::move(language)});
}

Task<> note_ending(const db::Statements& at, std::string id, std::string account) {
  // Time in which the current request can end the sessions itself.
  constexpr Duration kEndedWithin = std::chrono::seconds(10);
  return write_ask(
      at, {.id = std::move(id), .purpose = Purpose::kEndSessions, .account = std::move(account)},
      kEndedWithin);
}

Task<bool> use_up(const Transaction& at, std::string digest) {
  const auto changed =
      co_await at.exec("delete from eider_account_links where digest = $1 and expires > $2", digest,
                       seconds_from_now());
  co_return changed.rows == 1;
}

}  // namespace detail::accounts

namespace {

constexpr Duration kInterval = std::chrono::milliseconds(500);
/// Polling interval if this process has no requests, for those of processes that have ended.
constexpr Duration kIdleMax = std::chrono::seconds(10);
/// In simulated time, a day would otherwise take many thousand statements in real time.
constexpr Duration kIdleSimulated = std::chrono::minutes(10);
constexpr Duration kCommittedWithin = std::chrono::seconds(15);
constexpr std::int64_t kForgottenEverySeconds = 600;
constexpr std::int64_t kAsksAtOnce = 20;
/// Pause after the first attempt; it doubles after each further one. Ten attempts take about 85
/// minutes.
constexpr Duration kFirstPause = std::chrono::seconds(10);
constexpr Duration kPauseMax = std::chrono::hours(1);
constexpr std::int64_t kTriesMax = 10;

/// The mails of the requests that are notices.
constexpr std::pair<std::string_view, AccountMailKind> kNotices[] = {
    {Purpose::kPasswordChanged, AccountMailKind::password_changed},
    {Purpose::kAddressChanged, AccountMailKind::address_changed},
    {Purpose::kPasskeyAdded, AccountMailKind::passkey_added},
    {Purpose::kProviderLinked, AccountMailKind::provider_linked},
    {Purpose::kTwoFactorOn, AccountMailKind::two_factor_on},
    {Purpose::kTwoFactorOff, AccountMailKind::two_factor_off},
    {Purpose::kRecoveryCodeUsed, AccountMailKind::recovery_code_used},
    {Purpose::kRecoveryCodesReplaced, AccountMailKind::recovery_codes_replaced},
    {Purpose::kApiKeyAdded, AccountMailKind::api_key_added}};

/// returns  nothing if the request is not about a notice
std::optional<AccountMail> notice_of(const Ask& ask) {
  for (const auto& [purpose, kind] : kNotices) {
    if (ask.purpose == purpose) {
      return AccountMail{.kind = kind, .to = ask.email, .language = ask.language};
    }
  }
  return std::nullopt;
}

constexpr const char* kTables =
    "create table if not exists eider_accounts ("
    "name text primary key, email text not null, email_key text not null, "
    "password text not null, version bigint not null, made bigint not null);"
    "create unique index if not exists eider_accounts_email_key on eider_accounts(email_key);"
    "create table if not exists eider_account_links ("
    "digest text primary key, purpose text not null, account text not null, "
    "email text not null, email_key text not null, version bigint not null, "
    "expires bigint not null);"
    "create index if not exists eider_account_links_account on eider_account_links(account);"
    "create index if not exists eider_account_links_email_key on "
    "eider_account_links(email_key);"
    "create index if not exists eider_account_links_expires on eider_account_links(expires);"
    "create table if not exists eider_account_requests ("
    "id text primary key, purpose text not null, account text not null, email text not null, "
    "version bigint not null, tries bigint not null, due bigint not null, "
    "language text not null default '');"
    "create index if not exists eider_account_requests_due on eider_account_requests(due);";

/// Sends the link only to the owner, and removes it from mails that fail, because a copy of the
/// link is access to the account.
void protect_link(Mail& mail, const AccountMail& letter) {
  mail.to = {letter.to};
  mail.cc.clear();
  mail.bcc.clear();
  mail.is_one_time = !letter.link.empty();
}

}  // namespace

Task<> Accounts::start() {
  db::refuse_mariadb(database_, "add_accounts");
  co_await db::create_tables(database_, kTables);
  co_await db::add_column_if_missing(database_, "eider_account_requests", "language",
                                     "text not null default ''");
  co_await two_factor_.start();
}

// If this throws, for example while the database is unavailable, the app calls it again.
Task<> Accounts::run() {
  std::int64_t forgotten = 0;
  while (true) {
    co_await work_off();
    if (const std::int64_t now = seconds_from_now(); now - forgotten >= kForgottenEverySeconds) {
      forgotten = now;
      co_await database_.exec("delete from eider_account_links where expires <= $1", now);
    }
    const Instant begin = Loop::current().now();
    const Duration idle_max = Loop::current().is_simulated() ? kIdleSimulated : kIdleMax;
    do {
      co_await sleep_for(kInterval);
    } while (!may_have_requests() && Loop::current().now() - begin < idle_max);
  }
}

bool Accounts::may_have_requests() const noexcept {
  const Duration since =
      Loop::current().now() - detail::accounts::last_written.load(std::memory_order_relaxed);
  return asked_.load(std::memory_order_relaxed) > 0 ||
         (since >= Duration::zero() && since < kCommittedWithin);
}

Task<> Accounts::work_off() {
  while (true) {
    const auto asks = co_await database_.all<Ask>(
        "select id, purpose, account, email, version, tries, language from eider_account_requests "
        "where due <= $1 order by due, id limit $2",
        seconds_from_now(), kAsksAtOnce);
    if (asks.empty()) {
      break;
    }
    for (const Ask& ask : asks) {
      co_await try_to_respond(std::make_shared<const Ask>(ask));
    }
  }
  const auto left =
      co_await database_.one<std::int64_t>("select count(*) from eider_account_requests");
  asked_.store(left.value_or(0), std::memory_order_relaxed);
}

/// Postpones the request before each attempt, for a longer time after each one. So an attempt that
/// fails (for example because a text of the application is not valid in a mail) or ends the process
/// does not delay others, and no other process works on it in the meantime. Throws if the database
/// cannot postpone it.
Task<> Accounts::try_to_respond(std::shared_ptr<const Ask> ask) {
  const auto taken = co_await database_.exec(
      "update eider_account_requests set tries = tries + 1, due = $1 where id = $2 and tries = $3",
      seconds_from_now(detail::runtime::with_jitter(
          detail::runtime::pause_behind(ask->tries + 1, kFirstPause, kPauseMax))),
      ask->id, ask->tries);
  if (taken.rows != 1) {  // another process has it
    co_return;
  }
  std::optional<std::string> fault;
  try {
    if (ask->tries >= kTriesMax && ask->purpose != Purpose::kEndSessions) {
      throw Failure(Error::internal("the process ended during each attempt"));
    }
    co_await respond(ask);
  } catch (const std::exception& wrong) {
    fault = wrong.what();
  }
  if (fault) {
    co_await note_failure(ask, std::move(*fault));
  }
}

/// Ending sessions is retried without a limit, because they may be an attacker's.
Task<> Accounts::note_failure(std::shared_ptr<const Ask> ask, std::string fault) {
  const bool is_last = ask->tries + 1 >= kTriesMax && ask->purpose != Purpose::kEndSessions;
  options_.log->write(LogLevel::error,
                      "accounts: '" + ask->purpose + "' for " + ask->id +
                          (is_last ? " failed finally: " : " failed and will be retried: ") +
                          fault);
  if (is_last) {
    co_await database_.exec("delete from eider_account_requests where id = $1", ask->id);
  }
}

Task<> Accounts::respond(std::shared_ptr<const Ask> ask) {
  if (ask->purpose == Purpose::kEndSessions) {
    // Before the transaction: the sessions may be in the same database, which may have only one
    // writer.
    (void)co_await sessions_.log_out_all(ask->account);
  }
  Transaction transaction = co_await database_.begin();
  const auto changed =
      co_await transaction.exec("delete from eider_account_requests where id = $1", ask->id);
  if (changed.rows == 1) {  // otherwise another process has it
    // Choose, then await: g++ 14 evaluates temporaries of both branches of an awaited `?:`.
    auto answering =
        notice_of(*ask) ? send(transaction, *notice_of(*ask)) : answer_in(transaction, ask);
    co_await std::move(answering);
  }
  co_await transaction.commit();
}

Task<> Accounts::answer_in(const Transaction& at, std::shared_ptr<const Ask> ask) {
  const auto of_email = co_await at.one<Row>(
      "select name, email, password, version from eider_accounts where email_key = $1",
      email_key_of(ask->email));
  Link link{.purpose = ask->purpose,
            .account = ask->account,
            .email = ask->email,
            .version = ask->version};
  if (ask->purpose == Purpose::kSignUp && !of_email) {
    co_await send_link(at, std::move(link), ask->language);
  } else if ((ask->purpose == Purpose::kReset || ask->purpose == Purpose::kLogIn) && of_email) {
    // To the address of the account, not to the spelling in the request.
    link.email = of_email->email;
    link.account = of_email->name;
    link.version = of_email->version;
    co_await send_link(at, std::move(link), ask->language);
  } else if (ask->purpose == Purpose::kAddress && (!of_email || of_email->name == ask->account)) {
    // With the version of the request: if a password reset has changed the account since, the link
    // is invalid.
    co_await send_link(at, std::move(link), ask->language);
  } else if (of_email && ask->purpose != Purpose::kEndSessions) {
    co_await send(at, {.kind = AccountMailKind::already_registered,
                       .to = of_email->email,
                       .language = ask->language});
  }
}

/// Creates the token, which only the mail contains.
Task<> Accounts::send_link(const Transaction& at, Link link, std::string language) {
  const std::string token = random_token();
  AccountMail letter{.kind = AccountMailKind::confirm,
                     .to = link.email,
                     .link = options_.origin + options_.confirm_page,
                     .within = options_.confirm_within,
                     .language = std::move(language)};
  if (link.purpose == Purpose::kReset) {
    letter.kind = AccountMailKind::reset;
    letter.link = options_.origin + options_.reset_page;
    letter.within = options_.reset_within;
  } else if (link.purpose == Purpose::kAddress) {
    letter.kind = AccountMailKind::confirm_address;
    letter.link = options_.origin + options_.address_page;
  } else if (link.purpose == Purpose::kLogIn) {
    letter.kind = AccountMailKind::log_in;
    letter.link = options_.origin + options_.login_link_page;
    letter.within = options_.login_link_within;
  }
  // Browsers do not send the part after a # to servers, but then the page needs a script. A login
  // link must work without a script; it is short-lived, and a GET does not use it.
  letter.link += (link.purpose == Purpose::kLogIn ? "?token=" : "#") + token;
  co_await at.exec(
      "insert into eider_account_links(digest, purpose, account, email, email_key, version, "
      "expires) values($1, $2, $3, $4, $5, $6, $7)",
      digest_of(token), link.purpose, link.account, link.email, email_key_of(link.email),
      link.version, seconds_from_now(letter.within));
  co_await send(at, std::move(letter));
}

Task<> Accounts::send(const Transaction& at, AccountMail letter) {
  Mail mail = options_.write ? options_.write(letter)
                             : plain_account_mail(letter, options_.from, options_.name);
  mail.from = mail.from.email.empty() ? options_.from : mail.from;
  protect_link(mail, letter);
  (void)co_await outbox_.add(at, mail);
}

}  // namespace eider
