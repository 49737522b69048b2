// An event log in the database, written with the changes, and sent to subscribers and webhooks.
// Layering: must not know the meaning of events or filter them; all subscribers get all events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/no_dangling.h"
#include "eider/core/json/json.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/time.h"

namespace eider {

class ClientRequest;
class HttpClient;
class Jobs;

struct EventLogOptions {
  /// Topic under which entries are published (Topics).
  std::string topic = "event-log";
  /// Maximum number of missed entries for a client that reconnects; if more are missing, it gets an
  /// event `gap`.
  std::int64_t replay_max = 1000;
  /// Time for which an entry is stored, and its call of the webhook is retried.
  Duration retention = std::chrono::days(7);
  /// Maximum duration of a stream or WebSocket. Then its client reconnects, and is authenticated
  /// again: this is how long a client still receives events after a logout.
  Duration reconnect_after = std::chrono::minutes(10);
  /// URL to which each entry is posted until a 2xx response, at least once. Empty: none. Each call
  /// is a job of the type "webhook" in the queue "webhook".
  std::string webhook = {};
  /// The jobs that call the webhook, on the same database. Required for a webhook.
  Jobs* jobs = nullptr;
  /// Key of the signature of each call. Empty: calls are not signed. Webhook-Signature is "v1," and
  /// the base64 of the HMAC-SHA256 of "ID.TIME.BODY", as in the Standard Webhooks specification
  /// ("whsec_" and base64 is such a secret). ID and TIME are the values of the headers Webhook-Id
  /// and Webhook-Timestamp (seconds of this attempt). A receiver that also checks the time, and
  /// remembers ids for a while, is protected from replayed calls. X-Hub-Signature-256 signs only
  /// the body, for receivers made for GitHub.
  std::string webhook_secret = {};
  /// Maximum number of calls that each process makes at once, in no order, unless
  /// JobsOptions::queues has the queue "webhook".
  unsigned webhook_senders = 4;
};

/// The event log of an app: a module, see `add_event_log` below. Its tables, eider_event_log and
/// eider_event_log_head, are created if necessary. Several processes may share them; each sends
/// events to its own clients. For SQLite and PostgreSQL; the app does not start with MariaDB.
///
/// Entries are numbered from 1 without a gap, in the order of their commits: their transactions
/// wait for each other from `commit` on.
class EventLog {
 public:
  static constexpr std::string_view kName = "event-log";

  /// Pre: must outlive its commits, which continue if the caller stops waiting.
  ///
  /// topics  must outlive this object
  /// errors  throws a Failure for a webhook without jobs, or with jobs of another database
  EventLog(Database database, Topics& topics, EventLogOptions options);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Commits the transaction together with an entry, and sends the entry to subscribers. Both
  /// happen or neither, even if the client disconnects.
  ///
  ///     co_await log->commit(std::move(transaction), "issue", Event{0, "closed", id});
  ///
  /// name    of the event in streams
  /// what    is written as JSON; its member `id`, if present, becomes the number of the entry
  /// errors  throws std::invalid_argument for a line break or NUL in the name, and commits nothing
  template <class T>
  [[nodiscard]] Task<> commit(Transaction transaction, std::string name, T what) const {
    const std::int64_t id = co_await next_id(transaction);
    if constexpr (requires { what.id = id; }) {
      what.id = id;
    }
    co_await commit_entry(std::move(transaction), {id, std::move(name), json::to_text(what)});
  }

  /// Serves an event stream. First it sends the events after the client's Last-Event-ID, or an
  /// event `gap` if some of them are not stored or too many. A client without one gets the number
  /// of the newest entry as its ID. Then it sends new events, in the order of their numbers without
  /// omissions. An event may be sent twice.
  [[nodiscard]] Task<> follow(EventStream events) const;
  /// Serves a WebSocket with new events. Messages of the client are ignored.
  [[nodiscard]] Task<> push(WebSocket socket) const;

  // Called by the module.
  [[nodiscard]] Task<> start() const;
  [[nodiscard]] Task<> forget() const;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::string name = {};
    std::string data = {};
  };
  struct Head {
    std::int64_t last = 0;
    std::int64_t deleted = 0;
  };
  struct Committing;
  class Telling;

  static Task<std::int64_t> next_id(const Transaction& transaction);
  Task<> commit_entry(Transaction transaction, Entry entry) const;
  Task<> run_commit(std::shared_ptr<Committing> committing) const;
  Task<> follow_on(EventStream& events) const;
  Task<> call_webhook(std::int64_t id) const;
  static void sign(ClientRequest& request, const std::string& secret, const Entry& entry);

  const Database database_;
  Topics& topics_;
  const EventLogOptions options_;
  const LoopLocal<Scope> committing_;
  const LoopLocal<HttpClient> clients_;
};

/// Adds an event log to an app. Handlers access it with State<EventLog>:
///
///     Jobs& jobs = add_jobs(app, database);
///     add_event_log(app, database, {.webhook = own.webhook, .jobs = &jobs});
///     app.get("/events", [](EventStream events, const User&, State<EventLog> log) {
///       return log->follow(std::move(events));
///     });
EIDER_NO_DANGLING EventLog& add_event_log(App& app, Database database,
                                          EventLogOptions options = {});

}  // namespace eider
