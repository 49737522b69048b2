#include "eider/journal/journal.h"

#include <optional>
#include <vector>

#include "eider/base/base64.h"
#include "eider/base/sha256.h"
#include "eider/client/client.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/sleep.h"

namespace eider {

namespace {

constexpr Duration kAskedAgainBehind = std::chrono::milliseconds(500);
constexpr Duration kWebhookWithin = std::chrono::seconds(10);
constexpr Duration kForgetsEvery = std::chrono::hours(1);

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

}  // namespace

Journal::Journal(Database database, Topics& topics, JournalOptions options)
    : database_(std::move(database)), topics_(topics), options_(std::move(options)) {}

Task<> Journal::start() const {
  co_await database_.script(
      "create table if not exists eider_journal(id bigint primary key, name text not null, "
      "content text not null, added bigint not null, tries bigint not null, due bigint);"
      "create index if not exists eider_journal_due on eider_journal(due) where due is not null;"
      "create table if not exists eider_journal_head(one bigint primary key, last bigint not null, "
      "forgotten bigint not null);"
      "insert into eider_journal_head(one, last, forgotten) values(1, 0, 0) "
      "on conflict do nothing;");
}

/// Of a row that is locked until the commit: a number is seen by nobody ahead of the one before.
Task<std::int64_t> Journal::next_id(const Transaction& transaction) {
  const auto next = co_await transaction.one<std::int64_t>(
      "update eider_journal_head set last = last + 1 returning last");
  co_return next.value();
}

Task<> Journal::commit_entry(Transaction transaction, Entry entry) const {
  const std::int64_t now = seconds_now();
  const std::optional<std::int64_t> due =
      options_.webhook.empty() ? std::nullopt : std::optional(now);
  co_await transaction.exec(
      "insert into eider_journal(id, name, content, added, tries, due) "
      "values($1, $2, $3, $4, 0, $5)",
      entry.id, entry.name, entry.content, now, due);
  co_await transaction.commit();
  const std::string id = std::to_string(entry.id);
  topics_.publish(options_.topic, entry.content, {.name = entry.name, .id = id});
}

Task<> Journal::follow(EventStream events) const {
  auto listening = with_deadline(follow_on(events), options_.listens_for);
  (void)co_await std::move(listening);
}

// Listens ahead of reading what was missed: an entry in between is told twice, and never lost.
Task<> Journal::follow_on(EventStream& events) const {
  TopicNews news(topics_);
  news.listen(options_.topic);
  if (const auto seen = json::read<std::int64_t>(events.last_event_id())) {
    auto telling = tell_missed(events, *seen);
    if (const bool has_gap = co_await std::move(telling); has_gap) {
      const SseEvent gap{.event = "gap", .data = "reload"};
      co_await events.send(gap);
    }
  }
  auto following = events.follow(news);
  co_await std::move(following);
}

/// returns  whether there is a gap, and nothing was told
Task<bool> Journal::tell_missed(EventStream& events, std::int64_t seen) const {
  const auto missed = co_await database_.all<Entry>(
      "select id, name, content from eider_journal where id > $1 order by id limit $2", seen,
      options_.missed_max + 1);
  // Behind the entries: what is forgotten in between was read, and is told as a gap for nothing.
  const auto is_known = co_await database_.one<std::int64_t>(
      "select 1 from eider_journal_head where forgotten <= $1 and last >= $1", seen);
  if (!is_known || missed.size() > static_cast<std::size_t>(options_.missed_max)) {
    co_return true;
  }
  for (const Entry& entry : missed) {
    const std::string id = std::to_string(entry.id);
    const SseEvent sent{.event = entry.name, .data = entry.content, .id = id};
    co_await events.send(sent);
  }
  co_return false;
}

Task<> Journal::push(WebSocket socket) const {
  socket.subscribe(options_.topic);
  auto listening = with_deadline(pass_over_what_comes(socket), options_.listens_for);
  (void)co_await std::move(listening);
  socket.close(CloseCode::going_away);
}

Task<> Journal::deliver() const {
  HttpClient client;
  while (true) {
    auto delivering = deliver_next(client);
    const bool was_there = co_await std::move(delivering);
    if (!was_there) {
      co_await sleep_for(kAskedAgainBehind);
    }
  }
}

/// Whoever takes one up has it for longer each time: another does where it is not taken by then, or
/// where this process has ended.
Task<bool> Journal::deliver_next(HttpClient& client) const {
  const auto entry = co_await database_.one<Entry>(
      "update eider_journal set tries = tries + 1, due = $1 + case tries when 0 then 15 "
      "when 1 then 30 when 2 then 60 when 3 then 120 when 4 then 240 else 480 end "
      "where id = (select id from eider_journal where due <= $1 order by due, id limit 1) "
      "and due <= $1 returning id, name, content",
      seconds_now());
  if (!entry) {
    co_return false;
  }
  ClientRequest request = client.request(Method::post, options_.webhook);
  request.header("Webhook-Id", std::to_string(entry->id)).timeout(kWebhookWithin);
  if (!options_.webhook_secret.empty()) {
    const Sha256Digest code = hmac_sha256(options_.webhook_secret, entry->content);
    request.header("X-Hub-Signature-256", "sha256=" + to_hex(to_view(code)));
  }
  const auto reply = co_await request.body(entry->content, "application/json").send();
  if (reply && reply->is_ok()) {
    co_await database_.exec("update eider_journal set due = null where id = $1", entry->id);
  }
  co_return true;
}

/// All up to a number, so that whoever saw a later one has missed none of them.
Task<> Journal::forget() const {
  const std::int64_t until =
      seconds_now() - std::chrono::ceil<std::chrono::seconds>(options_.kept_for).count();
  const Transaction all = co_await database_.begin();
  co_await all.exec(
      "update eider_journal_head set forgotten = "
      "coalesce((select max(id) from eider_journal where added <= $1), forgotten)",
      until);
  co_await all.exec(
      "delete from eider_journal where id <= (select forgotten from eider_journal_head)");
  co_await all.commit();
}

Journal& journal(App& app, Database database, JournalOptions options) {
  const unsigned senders = options.webhook.empty() ? 0 : options.webhook_senders;
  auto& made = app.add_module<Journal>(std::move(database), app.topics(), std::move(options));
  app.every("journal", kForgetsEvery, [](State<Journal> its) { return its->forget(); });
  for (unsigned sender = 0; sender < senders; ++sender) {
    app.background("webhook " + std::to_string(sender),
                   [](State<Journal> its) { return its->deliver(); });
  }
  return made;
}

}  // namespace eider
