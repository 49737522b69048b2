#include "eider/auth/mail/outbox.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {

namespace {

using std::chrono::seconds;

constexpr std::size_t kLeaseBytes = 15;
constexpr Duration kCountedEvery = seconds(10);
/// A simulated day would otherwise take many thousand statements, in real time.
constexpr Duration kCountedSimulated = std::chrono::minutes(10);
constexpr Duration kCommittedWithin = seconds(15);
constexpr Duration kNotedAgainBehind = seconds(1);
constexpr Duration kPauseOfFaultsMax = seconds(30);
/// For what is on its way when the process is to end; then it is given up, and sent by another.
constexpr Duration kGrace = seconds(6);
constexpr Duration kGivenUpWithin = seconds(4);

std::int64_t seconds_now() {
  return wall_time().time_since_epoch().count();
}

/// Rounded up: a mail must not be due ahead of its time.
std::int64_t to_seconds(Duration duration) {
  return std::chrono::ceil<seconds>(duration).count();
}

/// Servers like to say whom they have refused, in letters of their own, and the log has no
/// recipients.
///
/// recipients  a JSON list
std::string without_recipients(std::string reason, std::string_view recipients) {
  const auto is_same = [](char one, char other) { return to_lower(one) == to_lower(other); };
  auto addresses = json::read<std::vector<std::string>>(recipients);
  for (const std::string& address : addresses ? *addresses : std::vector<std::string>()) {
    auto found = std::ranges::search(reason, address, is_same);
    while (!found.empty()) {
      reason.replace(found.begin(), found.end(), "(recipient)");
      found = std::ranges::search(reason, address, is_same);
    }
  }
  return reason;
}

/// Counts what lives as long as it.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) noexcept : count_(count) { ++count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --count_; }

 private:
  std::atomic<int>& count_;
};

Failure too_much_waits(const std::string& what) {
  return Failure(Error::unavailable("Too many mails are waiting to be sent. Try again later.")
                     .because("outbox: " + what));
}

}  // namespace

/// What the table has.
struct Outbox::Tally {
  std::int64_t waiting = 0;
  std::int64_t waiting_bytes = 0;
  std::int64_t dead = 0;
  std::int64_t dead_bytes = 0;
};

/// A row, as it was when this process took it.
struct Outbox::Taken {
  std::string id;
  std::string lease;
  std::int64_t attempts = 0;
  std::string sender;
  std::string recipients;
  std::int64_t bytes = 0;
  std::string message;
};

Outbox::Outbox(Database database, OutboxOptions options)
    : database_(std::move(database)), options_([&options] {
        if (options.transport == nullptr) {
          throw Failure(
              Error::internal("outbox: No transport is set. Use smtp(…) or mail_files(…)."));
        }
        if (options.lease / 5 * 4 < options.transport->time_limit()) {
          throw Failure(
              Error::internal("outbox: A lease of " + std::to_string(to_seconds(options.lease)) +
                              " s is too short for a transport that needs up to " +
                              std::to_string(to_seconds(options.transport->time_limit())) +
                              " s for a mail. Increase OutboxOptions::lease."));
        }
        options.log = options.log == nullptr ? stderr_log() : options.log;
        return std::move(options);
      }()) {}

Outbox::~Outbox() = default;

Task<std::string> Outbox::add(const db::Statements& at, const Mail& mail) {
  check_room(0);  // ahead of the writing, which is in vain without
  const std::int64_t now = seconds_now();
  auto message = write_message(mail, now);
  if (!message) {
    throw Failure(std::move(message.error()));
  }
  if (message->text.size() > options_.mail_bytes_max) {
    throw Failure(
        Error::invalid({{"", "must have at most " + std::to_string(options_.mail_bytes_max) +
                                 " bytes when encoded"}}));
  }
  const auto bytes = static_cast<std::int64_t>(message->text.size());
  check_room(bytes);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  added_.store(Loop::current().now(), std::memory_order_relaxed);
  return insert(at, std::move(*message), now);
}

/// Throws a Failure, a 503.
void Outbox::check_room(std::int64_t bytes) const {
  const std::int64_t waiting = waiting_.load(std::memory_order_relaxed);
  const std::int64_t waiting_bytes = waiting_bytes_.load(std::memory_order_relaxed);
  if (waiting >= static_cast<std::int64_t>(options_.waiting_max)) {
    throw too_much_waits(std::to_string(waiting) + " mails are waiting");
  }
  if (waiting_bytes + bytes > static_cast<std::int64_t>(options_.waiting_bytes_max)) {
    throw too_much_waits(std::to_string(waiting_bytes) + " bytes of mails are waiting");
  }
}

Task<std::string> Outbox::insert(const db::Statements& at, MailMessage message, std::int64_t now) {
  const std::string recipients = json::to_text(message.recipients);
  co_await at.exec(
      "insert into eider_outbox(id, state, due, added, lease, attempts, sender, recipients, error, "
      "bytes, message) values($1, 'waiting', $2, $2, '', 0, $3, $4, '', $5, $6)",
      message.id, now, message.sender, recipients, static_cast<std::int64_t>(message.text.size()),
      message.text);
  co_return std::move(message.id);
}

Task<> Outbox::start() {
  stopping_.reset();  // a test may start an app more than once
  co_await db::create_tables(
      database_,
      "create table if not exists eider_outbox ("
      "id text primary key, state text not null, due bigint not null, added bigint not null, "
      "lease text not null, attempts bigint not null, sender text not null, "
      "recipients text not null, error text not null, bytes bigint not null, "
      "message text not null);"
      "create index if not exists eider_outbox_due on eider_outbox(state, due);");
  co_await look_after();
  scope_.start(keep_house());
  for (unsigned sender = 0; sender < std::max(options_.senders, 1U); ++sender) {
    scope_.start(work());
  }
}

// What is on its way comes to its end and is noted, so that no mail goes twice by a restart.
Task<> Outbox::stop() {
  stopping_.set();
  if (co_await ended_within(kGrace)) {
    co_return;
  }
  options_.transport->stop();
  if (co_await ended_within(kGivenUpWithin)) {
    co_return;
  }
  if (on_their_way_.load(std::memory_order_relaxed) != 0) {
    say(LogLevel::warning, "a mail was being sent when the process ended; it may be sent twice");
  }
  scope_.cancel();
  co_await scope_.join();
}

Task<bool> Outbox::ended_within(Duration limit) {
  auto joined = with_deadline([](Scope& scope) -> Task<> { co_await scope.join(); }(scope_), limit);
  const bool has_ended = co_await std::move(joined);
  co_return has_ended;
}

Task<> Outbox::wait(Duration pause) {
  auto stopped =
      with_deadline([](Event& event) -> Task<> { co_await event.wait(); }(stopping_), pause);
  (void)co_await std::move(stopped);
}

/// A mail that was added is not in the table before its transaction commits.
bool Outbox::may_have_mails() const noexcept {
  return waiting_.load(std::memory_order_relaxed) > 0 ||
         Loop::current().now() - added_.load(std::memory_order_relaxed) < kCommittedWithin;
}

Task<> Outbox::work() {
  Duration pause = options_.interval;
  while (!stopping_.is_set()) {
    bool was_there = false;
    try {
      was_there = co_await send_next();
      pause = options_.interval;
    } catch (const std::exception& wrong) {
      say(LogLevel::error, std::string("the outbox cannot be processed: ") + wrong.what());
      pause = std::min(2 * pause, kPauseOfFaultsMax);
    }
    if (!was_there) {
      co_await wait(pause);
      while (!stopping_.is_set() && !may_have_mails()) {
        co_await wait(options_.interval);
      }
    }
  }
}

Task<> Outbox::keep_house() {
  while (!stopping_.is_set()) {
    co_await wait(kCountedEvery);
    for (Duration waited = kCountedEvery; !stopping_.is_set() && Loop::current().is_simulated() &&
                                          !may_have_mails() && waited < kCountedSimulated;
         waited += kCountedEvery) {
      co_await wait(kCountedEvery);
    }
    try {
      co_await look_after();
    } catch (const std::exception& wrong) {
      say(LogLevel::error,
          std::string("the mails in the outbox cannot be counted: ") + wrong.what());
    }
  }
}

/// Counts what waits, forgets what has been dead for long or has no room, and buries what has
/// killed its process at its last attempt.
Task<> Outbox::look_after() {
  const std::int64_t now = seconds_now();
  const auto buried = co_await database_.exec(
      "update eider_outbox set state = 'dead', due = $1, lease = '', "
      "error = 'the process ended during each attempt', "
      "message = case when id like 'once.%' then '' else message end "
      "where state = 'waiting' and due <= $2 and attempts >= $3",
      now + to_seconds(options_.dead_retention), now, options_.attempts_max);
  if (buried.rows > 0) {
    failed_.fetch_add(static_cast<std::uint64_t>(buried.rows), std::memory_order_relaxed);
    say(LogLevel::error, std::to_string(buried.rows) +
                             " mails failed finally: the process ended during each attempt");
  }
  if (co_await database_.one<std::int64_t>(
          "select 1 from eider_outbox where state = 'dead' and due <= $1 limit 1", now)) {
    co_await database_.exec("delete from eider_outbox where state = 'dead' and due <= $1", now);
  }
  const Tally counted = co_await tally();
  waiting_.store(counted.waiting, std::memory_order_relaxed);
  waiting_bytes_.store(counted.waiting_bytes, std::memory_order_relaxed);
  if (counted.dead_bytes > static_cast<std::int64_t>(options_.dead_bytes_max)) {
    co_await forget_oldest_dead();
  }
}

/// Keeps the newest that have room.
Task<> Outbox::forget_oldest_dead() {
  const auto forgotten = co_await database_.exec(
      "delete from eider_outbox where state = 'dead' and id in (select id from "
      "(select id, sum(bytes) over (order by due desc, id) as newer_bytes from eider_outbox "
      "where state = 'dead') as dead where newer_bytes > $1)",
      static_cast<std::int64_t>(options_.dead_bytes_max));
  say(LogLevel::warning,
      std::to_string(forgotten.rows) +
          " failed mails were deleted, because the limit for failed mails is reached");
}

/// returns  whether there was one
Task<bool> Outbox::send_next() {
  const std::shared_ptr<Taken> taken = co_await take();
  if (taken == nullptr) {
    co_return false;
  }
  const Counted on_its_way(on_their_way_);
  auto message = std::make_shared<MailMessage>();
  message->id = taken->id;
  message->sender = taken->sender;
  message->text = std::move(taken->message);
  auto recipients = json::read<std::vector<std::string>>(taken->recipients);
  DeliveryResult outcome{DeliveryStatus::rejected, "the recipients cannot be read"};
  if (recipients) {
    message->recipients = std::move(*recipients);
    outcome = co_await send(std::move(message));
  }
  co_await note_while_leased(taken, std::move(outcome));
  co_return true;
}

/// Two processes may see the same row, but only one changes it: for the other it is not due any
/// more. An attempt counts when it begins, so that a mail that kills the process dies at last.
Task<std::shared_ptr<Outbox::Taken>> Outbox::take() {
  const std::int64_t now = seconds_now();
  const auto due = co_await database_.one<std::string>(
      "select id from eider_outbox where state = 'waiting' and due <= $1 and attempts < $2 "
      "order by due, id limit 1",
      now, options_.attempts_max);
  if (!due) {
    co_return nullptr;
  }
  // In one statement: were the row read by another one, which fails, the mail would wait for its
  // lease.
  auto row = co_await database_.one<Taken>(
      "update eider_outbox set lease = $1, due = $2, attempts = attempts + 1 where id in "
      "(select id from eider_outbox where state = 'waiting' and due <= $3 and attempts < $4 "
      "order by due, id limit 1) and state = 'waiting' and due <= $3 "
      "returning id, lease, attempts, sender, recipients, bytes, message",
      to_base64url(secret_bytes(kLeaseBytes)), now + to_seconds(options_.lease), now,
      options_.attempts_max);
  co_return row ? std::make_shared<Taken>(std::move(*row)) : nullptr;
}

Task<DeliveryResult> Outbox::send(std::shared_ptr<const MailMessage> message) {
  try {
    auto outcome = co_await with_deadline(options_.transport->send(std::move(message)),
                                          options_.lease / 5 * 4);
    co_return outcome
        ? std::move(*outcome)
        : DeliveryResult{DeliveryStatus::retry_later, "sending took longer than the lease"};
  } catch (const std::exception& wrong) {
    co_return DeliveryResult{DeliveryStatus::retry_later, wrong.what()};
  }
}

/// A database that is busy or away is asked again for as long as the mail is this process's: a
/// mail whose sending nobody noted is sent again.
Task<> Outbox::note_while_leased(std::shared_ptr<const Taken> taken, DeliveryResult outcome) {
  const auto kept = std::make_shared<const DeliveryResult>(std::move(outcome));
  const Instant until = Loop::current().now() + options_.lease / 5;
  for (;;) {
    std::string fault;
    try {
      co_await note(taken, kept);
      co_return;
    } catch (const std::exception& wrong) {
      fault = wrong.what();
    }
    if (stopping_.is_set() || Loop::current().now() >= until) {
      say(LogLevel::error, "the outcome of the mail " + taken->id + " cannot be stored: " + fault);
      co_return;
    }
    co_await wait(kNotedAgainBehind);
  }
}

/// Where another process has it by now, for this one's lease is over, nothing is changed.
Task<> Outbox::note(std::shared_ptr<const Taken> taken,
                    std::shared_ptr<const DeliveryResult> told) {
  const DeliveryResult& outcome = *told;
  const std::int64_t now = seconds_now();
  if (outcome.status == DeliveryStatus::sent) {
    co_await database_.exec("delete from eider_outbox where id = $1 and lease = $2", taken->id,
                            taken->lease);
    sent_.fetch_add(1, std::memory_order_relaxed);
    count_out(*taken);
  } else if (outcome.status == DeliveryStatus::retry_later &&
             taken->attempts < options_.attempts_max) {
    const std::int64_t due = now + to_seconds(pause_behind(taken->attempts));
    co_await database_.exec(
        "update eider_outbox set due = $1, lease = '', error = $2 where id = $3 and lease = $4",
        due, outcome.reason, taken->id, taken->lease);
    retried_.fetch_add(1, std::memory_order_relaxed);
  } else {
    co_await database_.exec(
        "update eider_outbox set state = 'dead', due = $1, lease = '', error = $2, "
        "message = case when id like 'once.%' then '' else message end "
        "where id = $3 and lease = $4",
        now + to_seconds(options_.dead_retention), outcome.reason, taken->id, taken->lease);
    failed_.fetch_add(1, std::memory_order_relaxed);
    count_out(*taken);
    say(LogLevel::error, "the mail " + taken->id + " failed finally after " +
                             std::to_string(taken->attempts) +
                             " attempts: " + without_recipients(outcome.reason, taken->recipients));
  }
}

void Outbox::count_out(const Taken& taken) noexcept {
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  waiting_bytes_.fetch_sub(taken.bytes, std::memory_order_relaxed);
}

Duration Outbox::pause_behind(std::int64_t attempts) const {
  return detail::runtime::with_jitter(
      detail::runtime::pause_behind(attempts, options_.first_pause, options_.pause_max));
}

// A sum of bigint is a numeric of PostgreSQL, which is no integer.
Task<Outbox::Tally> Outbox::tally() const {
  const auto tally = co_await database_.one<Tally>(
      "select cast(coalesce(sum(case when state = 'waiting' then 1 else 0 end), 0) as bigint) as "
      "waiting, "
      "cast(coalesce(sum(case when state = 'waiting' then bytes else 0 end), 0) as bigint) as "
      "waiting_bytes, "
      "cast(coalesce(sum(case when state = 'dead' then 1 else 0 end), 0) as bigint) as dead, "
      "cast(coalesce(sum(case when state = 'dead' then bytes else 0 end), 0) as bigint) as "
      "dead_bytes "
      "from eider_outbox");
  co_return tally.value_or(Tally());
}

Task<OutboxCounts> Outbox::counts() const {
  const Tally counted = co_await tally();
  OutboxCounts counts;
  counts.waiting = counted.waiting;
  counts.waiting_bytes = counted.waiting_bytes;
  counts.dead = counted.dead;
  counts.dead_bytes = counted.dead_bytes;
  counts.sent = sent_.load(std::memory_order_relaxed);
  counts.retried = retried_.load(std::memory_order_relaxed);
  counts.failed = failed_.load(std::memory_order_relaxed);
  co_return counts;
}

Task<std::int64_t> Outbox::retry_dead() {
  const std::int64_t now = seconds_now();
  const auto changed = co_await database_.exec(
      "update eider_outbox set state = 'waiting', due = $1, attempts = 0 "
      "where state = 'dead' and message <> ''",
      now);
  co_await look_after();
  co_return changed.rows;
}

void Outbox::say(LogLevel level, const std::string& line) const {
  options_.log->write(level, "outbox: " + line);
}

Outbox& add_outbox(App& app, Database database, OutboxOptions options) {
  return app.add_module<Outbox>(std::move(database), std::move(options));
}

}  // namespace eider
