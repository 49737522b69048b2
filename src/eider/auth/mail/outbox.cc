#include "eider/auth/mail/outbox.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {

namespace detail::mail {

/// A mail in the table of jobs, visible in lists of jobs.
struct QueuedMail {
  std::string id;
};

}  // namespace detail::mail

namespace {

using detail::mail::QueuedMail;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kCountedEvery = seconds(10);
/// Interval for counting if nothing changes in this process: other processes may have added mails.
constexpr Duration kCountedIdle = minutes(10);
constexpr Duration kDeletedAgainAfter = seconds(1);
constexpr Duration kSentWithin = minutes(12);
/// Time limit for deleting a sent mail while the database is unavailable.
constexpr Duration kDeletedWithin = minutes(3);

/// Limit of one attempt to send.
Duration sent_within(const OutboxOptions& options) {
  return std::max<Duration>(kSentWithin, options.transport->time_limit() + minutes(1));
}

JobOptions job_options(const OutboxOptions& options) {
  return {.name = "mail",
          .attempts = options.attempts_max,
          .queue = "mail",
          .first_pause = options.first_pause,
          .pause_max = options.pause_max,
          .timeout = sent_within(options) + kDeletedWithin};
}

bool is_one_time(std::string_view id) {
  return id.starts_with("once.");
}

/// Removes recipients from the reason: servers often repeat the rejected address, in any case, but
/// the log must not contain recipients.
///
/// recipients  as a JSON list
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

Failure too_much_waits(const std::string& what) {
  return Failure(Error::unavailable("Too many mails are waiting to be sent. Try again later.")
                     .because("outbox: " + what));
}

}  // namespace

/// Counts of the table.
///
/// stale  rows without a job, and failed one-time mails that still have a text
struct Outbox::Tally {
  std::int64_t waiting = 0;
  std::int64_t waiting_bytes = 0;
  std::int64_t dead = 0;
  std::int64_t dead_bytes = 0;
  std::int64_t stale = 0;
};

struct Outbox::Queued {
  std::string id;
  std::string sender;
  std::string recipients;
  std::int64_t bytes = 0;
  std::string message;
};

Outbox::Outbox(Jobs& jobs, OutboxOptions options)
    : jobs_(jobs), options_([&options] {
        if (options.transport == nullptr) {
          throw Failure(
              Error::internal("outbox: No transport is set. Use smtp(…) or mail_files(…)."));
        }
        options.log = options.log == nullptr ? stderr_log() : options.log;
        return std::move(options);
      }()) {
  jobs_.add_queue({.name = "mail", .concurrency = std::max(options_.senders, 1U)});
  jobs_.add(detail::jobs::make_entry<QueuedMail>(
      [this](const QueuedMail&, JobContext& context) { return deliver(context); },
      job_options(options_)));
}

Task<std::string> Outbox::add(const db::Statements& at, const Mail& mail) {
  check_room(0);  // before encoding, which would be useless without room
  auto message = value_or_throw(write_message(mail, wall_time().time_since_epoch().count()));
  if (message.text.size() > options_.mail_bytes_max) {
    throw Failure(
        Error::invalid({{"", "must have at most " + std::to_string(options_.mail_bytes_max) +
                                 " bytes when encoded"}}));
  }
  const auto bytes = static_cast<std::int64_t>(message.text.size());
  check_room(bytes);
  waiting_.fetch_add(1, std::memory_order_relaxed);
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  is_changed_.store(true, std::memory_order_relaxed);
  return insert(at, std::move(message));
}

/// Throws a Failure with 503 if too many mails wait.
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

/// In a transaction: a job without a row counts as a mail that was sent.
Task<std::string> Outbox::insert(const db::Statements& at, MailMessage message) const {
  if (const auto database = detail::jobs::database_of(at)) {
    Transaction transaction = co_await database->begin();
    co_await write(transaction, message);
    co_await transaction.commit();
  } else {
    co_await write(at, message);
  }
  co_return std::move(message.id);
}

Task<> Outbox::write(const db::Statements& at, const MailMessage& message) const {
  const EnqueuedJob job = co_await jobs_.enqueue(at, QueuedMail{message.id});
  co_await at.exec(
      "insert into eider_outbox(job, id, sender, recipients, bytes, message) "
      "values($1, $2, $3, $4, $5, $6)",
      job.id, message.id, message.sender, json::to_text(message.recipients),
      static_cast<std::int64_t>(message.text.size()), message.text);
}

Task<> Outbox::start() {
  const detail::jobs::JobStore store(jobs_.database());
  co_await db::create_tables(
      jobs_.database(),
      store.sql("create table if not exists eider_outbox(job bigint primary key, "
                "id text not null, sender text not null, recipients text not null, "
                "bytes bigint not null, message {long} not null{set}"));
}

// Sending.

Task<> Outbox::deliver(JobContext& context) {
  auto queued = co_await jobs_.database().one<Queued>(
      "select id, sender, recipients, bytes, message from eider_outbox where job = $1",
      context.id());
  if (!queued) {
    co_return;  // an earlier attempt sent it
  }
  if (queued->message.empty()) {  // retried from a page of jobs
    throw CancelJob("mail " + queued->id + ": The text was deleted when the mail failed.");
  }
  is_changed_.store(true, std::memory_order_relaxed);
  const DeliveryResult outcome = co_await send(*queued);
  if (outcome.status == DeliveryStatus::sent) {
    co_await delete_sent(context.id());
    sent_.fetch_add(1, std::memory_order_relaxed);
    count_out(queued->bytes);
    co_return;
  }
  const std::string reason =
      "mail " + queued->id + ": " + without_recipients(outcome.reason, queued->recipients);
  if (outcome.status == DeliveryStatus::retry_later && !context.is_last_attempt()) {
    retried_.fetch_add(1, std::memory_order_relaxed);
    throw std::runtime_error(reason);
  }
  if (is_one_time(queued->id)) {
    co_await jobs_.database().exec("update eider_outbox set message = '' where job = $1",
                                   context.id());
  }
  failed_.fetch_add(1, std::memory_order_relaxed);
  count_out(queued->bytes);
  throw CancelJob(reason);
}

Task<DeliveryResult> Outbox::send(Queued& queued) const {
  const auto recipients = json::read<std::vector<std::string>>(queued.recipients);
  if (!recipients) {
    co_return DeliveryResult{DeliveryStatus::rejected, "the recipients cannot be read"};
  }
  auto message = std::make_shared<const MailMessage>(queued.id, queued.sender, *recipients,
                                                     std::move(queued.message));
  try {
    auto outcome =
        co_await with_deadline(options_.transport->send(std::move(message)), sent_within(options_));
    co_return outcome
        ? std::move(*outcome)
        : DeliveryResult{DeliveryStatus::retry_later, "sending took longer than its time limit"};
  } catch (const std::exception& wrong) {
    co_return DeliveryResult{DeliveryStatus::retry_later, wrong.what()};
  }
}

/// Retries while the database is busy or unavailable, as long as this process has the job:
/// otherwise the mail would be sent again.
Task<> Outbox::delete_sent(std::int64_t job) const {
  for (;;) {
    try {
      co_await jobs_.database().exec("delete from eider_outbox where job = $1", job);
      co_return;
    } catch (const std::exception&) {
      // The timeout of the job ends the loop.
    }
    co_await sleep_for(kDeletedAgainAfter);
  }
}

void Outbox::count_out(std::int64_t bytes) noexcept {
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  waiting_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

// Limits.

// In PostgreSQL and MariaDB a sum is a decimal, not an integer.
Task<Outbox::Tally> Outbox::tally() const {
  const std::string integer =
      jobs_.database().dialect() == db::Dialect::mariadb ? " as signed) " : " as bigint) ";
  const auto tally = co_await jobs_.database().one<Tally>(db::RuntimeSql{
      "select count(case when j.state <> 'failed' then 1 end) as waiting, "
      "count(case when j.state = 'failed' then 1 end) as dead, "
      "count(case when j.id is null or "
      "(j.state = 'failed' and m.id like 'once.%' and m.message <> '') then 1 end) as stale, "
      "cast(coalesce(sum(case when j.state <> 'failed' then m.bytes end), 0)" +
      integer +
      "as waiting_bytes, "
      "cast(coalesce(sum(case when j.state = 'failed' then m.bytes end), 0)" +
      integer + "as dead_bytes from eider_outbox m left join eider_jobs j on j.id = m.job"});
  co_return tally.value_or(Tally());
}

Task<> Outbox::look_after() {
  const Instant now = Loop::current().now();
  if (!is_changed_.exchange(false, std::memory_order_relaxed) && now - counted_ < kCountedIdle) {
    co_return;
  }
  counted_ = now - kCountedIdle;  // if this fails, the next call counts again
  const Database& database = jobs_.database();
  const Tally counted = co_await tally();
  waiting_.store(counted.waiting, std::memory_order_relaxed);
  waiting_bytes_.store(counted.waiting_bytes, std::memory_order_relaxed);
  if (counted.waiting > 0) {
    is_changed_.store(true, std::memory_order_relaxed);
  }
  const auto dead_bytes_max = static_cast<std::int64_t>(options_.dead_bytes_max);
  if (counted.dead_bytes > dead_bytes_max) {
    const auto deleted = co_await database.exec(
        "delete from eider_jobs where state = 'failed' and id in (select job from "
        "(select m.job, sum(m.bytes) over (order by m.job desc) as newer_bytes from eider_outbox m "
        "join eider_jobs j on j.id = m.job where j.state = 'failed') as dead "
        "where newer_bytes > $1)",
        dead_bytes_max);
    options_.log->write(LogLevel::warning,
                        "outbox: " + std::to_string(deleted.rows) +
                            " failed mails were deleted, because the limit for failed mails is "
                            "reached");
  }
  if (counted.stale > 0 || counted.dead_bytes > dead_bytes_max) {
    co_await database.exec(
        "delete from eider_outbox where not exists(select 1 from eider_jobs where "
        "eider_jobs.id = eider_outbox.job)");
    co_await database.exec(
        "update eider_outbox set message = '' where id like 'once.%' and message <> '' and "
        "job in (select id from eider_jobs where state = 'failed')");
  }
  counted_ = now;
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
  std::int64_t retried = 0;
  for (const std::int64_t job : co_await jobs_.database().all<std::int64_t>(
           "select m.job from eider_outbox m join eider_jobs j on j.id = m.job "
           "where j.state = 'failed' and m.message <> ''")) {
    retried += std::int64_t{co_await jobs_.admin().retry(job)};
  }
  is_changed_.store(true, std::memory_order_relaxed);
  jobs_.poke();
  co_return retried;
}

Outbox& add_outbox(App& app, Jobs& jobs, OutboxOptions options) {
  Outbox& made = app.add_module<Outbox>(jobs, std::move(options));
  app.every("outbox", kCountedEvery, [](State<Outbox> its) { return its->look_after(); });
  return made;
}

}  // namespace eider
