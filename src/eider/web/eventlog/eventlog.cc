#include "eider/web/eventlog/eventlog.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "eider/client/client.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/sse.h"
#include "eider/web/jobs/jobs.h"

namespace eider {

namespace {

constexpr Duration kWebhookWithin = std::chrono::seconds(10);
constexpr Duration kWebhookPauseMax = std::chrono::minutes(8);
constexpr Duration kForgetsEvery = std::chrono::hours(1);
/// Time in which earlier commits of other event loops or processes are expected to arrive. Reading
/// each of them at once would cost one query per stream.
constexpr Duration kComesWithin = std::chrono::milliseconds(100);
/// Entries that are read at once. A client that reads slowly keeps them in memory meanwhile.
constexpr std::int64_t kReadAtOnce = 32;
/// Published events that are copied for one client at once.
constexpr std::size_t kHeardBytesMax = 16UL * 1024;
/// Limits do not apply to our own events.
constexpr SseLimits kNoLimits{.line_bytes_max = std::numeric_limits<std::size_t>::max(),
                              .data_bytes_max = std::numeric_limits<std::size_t>::max()};

std::int64_t seconds_now() {
  return wall_time().time_since_epoch().count();
}

Task<> pass_over_what_comes(WebSocket& socket) {
  bool is_open = true;
  while (is_open) {
    const auto message = co_await socket.receive();
    is_open = message.has_value();
  }
}

/// A job that calls the webhook for an entry.
struct WebhookCall {
  std::int64_t entry = 0;
};

/// The calls are retried as long as their entries are stored.
JobOptions call_options(Duration retention) {
  constexpr unsigned kAttemptsBeforeMaxPause = 6;
  return {.name = "webhook",
          .attempts = static_cast<unsigned>(retention / kWebhookPauseMax) + kAttemptsBeforeMaxPause,
          .queue = "webhook",
          .first_pause = std::chrono::seconds(15),
          .pause_max = kWebhookPauseMax,
          .timeout = 2 * kWebhookWithin};
}

[[noreturn]] void reject_webhook(const std::string& why) {
  throw Failure(Error::internal("event log: " + why));
}

}  // namespace

/// A running commit. The handler that waits for it may be destroyed before.
struct EventLog::Committing {
  Transaction transaction;
  Entry entry;
  AsyncEvent is_over;
  std::exception_ptr failure;
};

/// Sends the entries to one stream in order, each once. Notifications may arrive in another order
/// (from two event loops or processes), or not at all (if a process ended after its commit). The
/// stream notices that because the numbers have no gap: later entries are held back for a short
/// time, and then the table is read.
class EventLog::Telling {
 public:
  Telling(const EventLog& log, EventStream& events) noexcept : log_(log), events_(events) {}

  Task<> begin();
  /// Waits for a notification; reads the table meanwhile if an entry is missing.
  Task<> wait(TopicSubscription& news);
  /// heard  events in their format on the wire, which may end within one; must stay valid until
  ///        the task ends
  Task<> tell(std::string_view heard);

 private:
  [[nodiscard]] Task<Head> head() const;
  Task<> catch_up();
  Task<bool> send_some();
  Task<> tell_one(const SseParser& heard);
  Task<> hold(Entry entry);
  Task<> tell_held();
  [[nodiscard]] BodyWriter::WriteAwaiter tell_entry(const Entry& entry);
  [[nodiscard]] BodyWriter::WriteAwaiter send(const Entry& entry);

  const EventLog& log_;
  EventStream& events_;
  std::int64_t from_ = 0;               // entries up to it existed before this stream started
  std::int64_t last_ = 0;               // entries after `from_` and up to it were sent
  std::map<std::int64_t, Entry> held_;  // arrived before an entry that is missing
  Instant held_since_;
  SseParser hearing_{kNoLimits};  // of the event that is read next
};

EventLog::EventLog(Database database, Topics& topics, EventLogOptions options)
    : database_(std::move(database)),
      topics_(topics),
      options_(std::move(options)),
      committing_([] { return std::make_unique<Scope>(); }),
      clients_([] { return std::make_unique<HttpClient>(); }) {
  if (options_.webhook.empty()) {
    return;
  }
  if (options_.jobs == nullptr) {
    reject_webhook(
        "A webhook needs jobs. Set `jobs` to the address of the Jobs that add_jobs returns.");
  }
  if (options_.jobs->database().pool() != database_.pool()) {
    reject_webhook("`jobs` must have the database of the event log.");
  }
  options_.jobs->add_queue(
      {.name = "webhook", .concurrency = std::max(options_.webhook_senders, 1U)});
  options_.jobs->add(detail::jobs::make_entry<WebhookCall>(
      [this](WebhookCall call) { return call_webhook(call.entry); },
      call_options(options_.retention)));
}

EventLog::~EventLog() = default;

Task<> EventLog::start() const {
  db::refuse_mariadb(database_, "add_event_log");
  co_await db::create_tables(
      database_,
      "create table if not exists eider_event_log(id bigint primary key, name text not null, "
      "data text not null, added bigint not null);"
      "create table if not exists eider_event_log_head(one bigint primary key, last bigint not "
      "null, deleted bigint not null);"
      "insert into eider_event_log_head(one, last, deleted) values(1, 0, 0) "
      "on conflict do nothing;");
}

/// Increments a row that is locked until the commit, so that numbers become visible in order.
Task<std::int64_t> EventLog::next_id(const Transaction& transaction) {
  const auto next = co_await transaction.one<std::int64_t>(
      "update eider_event_log_head set last = last + 1 returning last");
  co_return next.value();
}

Task<> EventLog::commit_entry(Transaction transaction, Entry entry) const {
  // Checked before the commit, because no stream could send the stored entry.
  Buffer unsent;
  if (auto written = write_event(unsent, {.event = entry.name}); !written) {
    throw std::invalid_argument(std::string(text(written.error())));
  }
  co_await transaction.exec(
      "insert into eider_event_log(id, name, data, added) values($1, $2, $3, $4)", entry.id,
      entry.name, entry.data, seconds_now());
  if (!options_.webhook.empty()) {
    co_await options_.jobs->enqueue(transaction, WebhookCall{entry.id});
  }
  const auto committing = std::make_shared<Committing>(std::move(transaction), std::move(entry));
  committing_.here().start(run_commit(committing));
  co_await committing->is_over.wait();
  if (committing->failure != nullptr) {
    std::rethrow_exception(committing->failure);
  }
}

// Runs in a scope of the event loop: if the client disconnects, its handler ends, but not between
// the commit and the notification.
Task<> EventLog::run_commit(std::shared_ptr<Committing> committing) const {
  try {
    co_await committing->transaction.commit();
    const Entry& entry = committing->entry;
    const std::string id = std::to_string(entry.id);
    topics_.publish(options_.topic, entry.data, {.name = entry.name, .id = id});
  } catch (...) {
    committing->failure = std::current_exception();
  }
  committing->is_over.set();
}

Task<> EventLog::follow(EventStream events) const {
  (void)co_await with_deadline(follow_on(events), options_.reconnect_after);
}

// Subscribes before reading the missed entries, so that none is lost in between.
Task<> EventLog::follow_on(EventStream& events) const {
  TopicSubscription news(topics_);
  news.listen(options_.topic);
  Telling telling(*this, events);
  co_await telling.begin();
  Buffer heard;
  do {
    co_await telling.wait(news);
    heard.clear();
    news.take(heard, kHeardBytesMax);
    co_await telling.tell(heard.view());
  } while (heard.size() != 0);
  // No more events will come: this sends the time after which the client reconnects.
  co_await events.subscribe(news);
}

Task<EventLog::Head> EventLog::Telling::head() const {
  const auto head =
      co_await log_.database_.one<Head>("select last, deleted from eider_event_log_head");
  co_return head.value();
}

// A new client gets the number of the newest entry as its ID, without an event: otherwise, if it
// reconnects before its first event, the entries in between would be lost silently.
Task<> EventLog::Telling::begin() {
  if (const auto seen = json::read<std::int64_t>(events_.last_event_id())) {
    from_ = last_ = *seen;
    co_await catch_up();
    co_return;
  }
  from_ = last_ = (co_await head()).last;
  const std::string id = std::to_string(last_);
  const SseEvent start{.id = id};
  co_await events_.send(start);
}

/// Sends the entries of the table after `last_`, or a gap instead.
Task<> EventLog::Telling::catch_up() {
  bool has_more = true;
  while (has_more) {
    has_more = co_await send_some();
  }
  // Entries with numbers that the table does not have are not from this log. They are sent, but do
  // not change `last_`.
  const auto held = std::exchange(held_, {});
  for (auto other = held.upper_bound(last_); other != held.end(); ++other) {
    co_await send(other->second);
  }
}

/// Sends the next entries of the table, or a gap.
///
/// returns  whether there may be more
Task<bool> EventLog::Telling::send_some() {
  const auto missed = co_await log_.database_.all<Entry>(
      "select id, name, data from eider_event_log where id > $1 order by id limit $2", last_,
      kReadAtOnce);
  // Read after the entries, so that entries that are deleted in between are not lost silently. They
  // were read, so the reported gap may be unnecessary.
  const Head known = co_await head();
  if (known.deleted > last_ || known.last < last_ ||
      known.last - last_ > log_.options_.replay_max) {
    from_ = last_ = known.last;  // the client then loads a state that includes all of these
    held_.clear();
    const std::string id = std::to_string(last_);
    const SseEvent gap{.event = "gap", .data = "reload", .id = id};
    co_await events_.send(gap);
    co_return false;
  }
  for (const Entry& entry : missed) {
    co_await tell_entry(entry);
  }
  co_return std::cmp_equal(missed.size(), kReadAtOnce);
}

Task<> EventLog::Telling::wait(TopicSubscription& news) {
  while (!held_.empty() && !news.coming().is_set()) {
    if (!co_await with_deadline(news.coming(),
                                held_since_ + kComesWithin - Loop::current().now())) {
      co_await catch_up();
    }
  }
  co_await news.coming().wait();
}

Task<> EventLog::Telling::tell(std::string_view heard) {
  while (!heard.empty()) {
    const SseStep step = hearing_.read(heard);
    heard.remove_prefix(step.consumed);
    if (step.status == SseStatus::event) {
      co_await tell_one(hearing_);
      // A new parser for each event: it would otherwise apply the ID of one event to later ones
      // without an ID.
      hearing_ = SseParser(kNoLimits);
    }
  }
}

Task<> EventLog::Telling::tell_one(const SseParser& heard) {
  const auto number = json::read<std::int64_t>(heard.last_event_id());
  if (!number) {
    const SseEvent sent{.event = heard.event(), .data = heard.data(), .id = heard.last_event_id()};
    co_await events_.send(sent);
    co_return;
  }
  if (*number > from_ && *number <= last_) {
    co_return;
  }
  Entry entry{*number, std::string(heard.event()), std::string(heard.data())};
  if (*number > last_ + 1) {
    co_await hold(std::move(entry));
    co_return;
  }
  co_await tell_entry(entry);
  co_await tell_held();
}

Task<> EventLog::Telling::hold(Entry entry) {
  const Instant now = Loop::current().now();
  held_since_ = held_.empty() ? now : held_since_;
  const std::int64_t id = entry.id;
  held_.insert_or_assign(id, std::move(entry));
  // Also checked if notifications never pause.
  if (now - held_since_ >= kComesWithin ||
      held_.size() > static_cast<std::size_t>(log_.options_.replay_max)) {
    co_await catch_up();
  }
}

/// Sends held entries up to the first missing one; drops those that were already sent.
Task<> EventLog::Telling::tell_held() {
  while (!held_.empty() && held_.begin()->first <= last_ + 1) {
    const auto next = held_.extract(held_.begin());
    held_since_ = Loop::current().now();
    if (next.key() > last_) {
      co_await tell_entry(next.mapped());
    }
  }
}

BodyWriter::WriteAwaiter EventLog::Telling::tell_entry(const Entry& entry) {
  last_ = std::max(last_, entry.id);
  return send(entry);
}

// Entries from before the start of the stream may be notified late. They are sent, because the
// client may have loaded its state before them, but its Last-Event-ID must not decrease.
BodyWriter::WriteAwaiter EventLog::Telling::send(const Entry& entry) {
  const std::string id = std::to_string(last_);
  return events_.send({.event = entry.name, .data = entry.data, .id = id});
}

Task<> EventLog::push(WebSocket socket) const {
  socket.subscribe(options_.topic);
  (void)co_await with_deadline(pass_over_what_comes(socket), options_.reconnect_after);
  socket.close(CloseCode::going_away);
}

void EventLog::sign(ClientRequest& request, const std::string& secret, const Entry& entry) {
  const std::string time = std::to_string(seconds_now());
  const std::string id = std::to_string(entry.id);
  // Secrets of the specification are base64 after this prefix.
  constexpr std::string_view kPrefix = "whsec_";
  const auto decoded = secret.starts_with(kPrefix) ? from_base64(secret.substr(kPrefix.size()))
                                                   : std::optional<std::string>();
  const Sha256Digest all =
      hmac_sha256(decoded.value_or(secret), id + "." + time + "." + entry.data);
  request.header("Webhook-Timestamp", time);
  request.header("Webhook-Signature", "v1," + to_base64(to_view(all)));
  const Sha256Digest content = hmac_sha256(secret, entry.data);
  request.header("X-Hub-Signature-256", "sha256=" + to_hex(to_view(content)));
}

/// Throws unless the receiver has accepted the entry, so that the job runs again.
Task<> EventLog::call_webhook(std::int64_t id) const {
  const auto entry =
      co_await database_.one<Entry>("select id, name, data from eider_event_log where id = $1", id);
  if (!entry) {
    throw CancelJob("The entry " + std::to_string(id) + " is no longer stored.");
  }
  ClientRequest request = clients_.here().request(Method::post, options_.webhook);
  request.header("Webhook-Id", std::to_string(id)).timeout(kWebhookWithin);
  if (!options_.webhook_secret.empty()) {
    sign(request, options_.webhook_secret, *entry);
  }
  const auto reply = co_await request.body(entry->data, "application/json").send();
  if (!reply || !reply->is_ok()) {
    throw std::runtime_error(
        "The webhook has not accepted the entry " + std::to_string(id) + ": " +
        (reply ? "status " + std::to_string(reply->status()) : reply.error().text));
  }
}

/// Deletes all entries up to a number, so that a client that has seen a later one has missed none
/// of them.
Task<> EventLog::forget() const {
  const std::int64_t until =
      seconds_now() - std::chrono::ceil<std::chrono::seconds>(options_.retention).count();
  const Transaction all = co_await database_.begin();
  co_await all.exec(
      "update eider_event_log_head set deleted = "
      "coalesce((select max(id) from eider_event_log where added <= $1), deleted)",
      until);
  co_await all.exec(
      "delete from eider_event_log where id <= (select deleted from eider_event_log_head)");
  co_await all.commit();
}

EventLog& add_event_log(App& app, Database database, EventLogOptions options) {
  auto& made = app.add_module<EventLog>(std::move(database), app.topics(), std::move(options));
  app.every("event-log", kForgetsEvery, [](State<EventLog> its) { return its->forget(); });
  return made;
}

}  // namespace eider
