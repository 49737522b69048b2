// What has happened, kept with what it changed: told to who listens, to who has missed it, and to
// a webhook. Must not know what it is about, nor who may know of it: everybody is told all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/json/json.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/time.h"

namespace eider {

class ClientRequest;
class HttpClient;

struct JournalOptions {
  /// Under which entries are published, for those who listen (Topics).
  std::string topic = "journal";
  /// How many who comes back is told of what he missed; of more he is told that there is a gap.
  std::int64_t missed_max = 1000;
  /// For how long an entry is kept, and one that the webhook does not take is tried.
  Duration kept_for = std::chrono::days(7);
  /// How long one stream or WebSocket goes on. Then its client comes back by itself, and is asked
  /// anew who it is: so long behind a logout it is told of what happens, and no longer.
  Duration listens_for = std::chrono::minutes(10);
  /// Where each entry is posted to until a 2xx takes it, at least once. Empty: nowhere.
  std::string webhook = {};
  /// The key of each call's signature. Empty: calls are not signed. Webhook-Signature is
  /// "v1," and the base64 of the HMAC-SHA256 of "ID.TIME.BODY", with the values of the headers
  /// Webhook-Id and Webhook-Timestamp (seconds of this attempt), as the Standard Webhooks
  /// specification has it ("whsec_" and base64 is such a secret). A receiver that also checks the
  /// time and forgets no id for a while rejects calls that are sent again by others.
  /// X-Hub-Signature-256 signs the body alone, for receivers made for GitHub's.
  std::string webhook_secret = {};
  /// How many are on their way at once, in no order.
  unsigned webhook_senders = 4;
};

/// A module, of which there is one for an app (see `journal` below). Its tables, eider_journal and
/// eider_journal_head, are made where they are not there; several processes may share them, of
/// which each tells those who listen to it.
///
/// Entries are numbered from 1 without a gap, in the order of their commits: their transactions
/// wait for one another from `commit` on.
class Journal {
 public:
  static constexpr std::string_view kName = "journal";

  /// Pre: outlives its commits, which go on where nobody waits for them any more.
  ///
  /// topics  outlives it
  Journal(Database database, Topics& topics, JournalOptions options);

  /// Commits what the transaction holds with an entry, and tells who listens: both, or neither,
  /// where the client leaves meanwhile.
  ///
  ///     co_await journal->commit(std::move(transaction), "issue", Event{0, "closed", id});
  ///
  /// name  of the event in streams
  /// what  is written as JSON; a member `id` that it has becomes the entry's number
  template <class T>
  [[nodiscard]] Task<> commit(Transaction transaction, std::string name, T what) const {
    const std::int64_t id = co_await next_id(transaction);
    if constexpr (requires { what.id = id; }) {
      what.id = id;
    }
    co_await commit_entry(std::move(transaction), {id, std::move(name), json::to_text(what)});
  }

  /// A handler's event stream: first what the client has missed since its Last-Event-ID, or an
  /// event `gap` where some of it is not kept, or too much; then what happens, in the order of the
  /// numbers, none left out. An entry may be told twice.
  [[nodiscard]] Task<> follow(EventStream events) const;
  /// A handler's WebSocket: what happens from now on. What the client says is passed over.
  [[nodiscard]] Task<> push(WebSocket socket) const;

  // Of the module.
  [[nodiscard]] Task<> start() const;
  [[nodiscard]] Task<> deliver() const;
  [[nodiscard]] Task<> forget() const;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::string name = {};
    std::string content = {};
  };
  struct Head {
    std::int64_t last = 0;
    std::int64_t forgotten = 0;
  };
  struct Committing;
  class Telling;

  static Task<std::int64_t> next_id(const Transaction& transaction);
  Task<> commit_entry(Transaction transaction, Entry entry) const;
  Task<> run_commit(std::shared_ptr<Committing> committing) const;
  Task<> follow_on(EventStream& events) const;
  Task<bool> deliver_next(HttpClient& client) const;
  static void sign(ClientRequest& request, const std::string& secret, const Entry& entry);

  const Database database_;
  Topics& topics_;
  const JournalOptions options_;
  const LoopLocal<Scope> committing_;
};

/// Gives an app its journal, which handlers take as State<Journal>:
///
///     journal(app, database, {.webhook = own.webhook});
///     app.get("/events", [](EventStream events, const User&, State<Journal> journal) {
///       return journal->follow(std::move(events));
///     });
Journal& journal(App& app, Database database, JournalOptions options = {});

}  // namespace eider
