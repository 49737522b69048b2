#include "live.h"

#include <drogon/PubSubService.h>
#include <drogon/WebSocketController.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <charconv>
#include <mutex>

#include "accounts.h"

namespace tracker {

namespace {

constexpr const char* kTopic = "issues";
constexpr int kMissedMax = 1000;
constexpr double kBeatSeconds = 15;
constexpr double kHookSeconds = 10;

struct Event {
  std::int64_t id = 0;
  std::string text;
};

Event to_event(const drogon::orm::Row& row) {
  Json::Value told;
  told["id"] = row["id"].as<std::int64_t>();
  told["kind"] = row["kind"].as<std::string>();
  told["issue_id"] = row["issue_id"].as<std::int64_t>();
  told["by"] = row["by"].as<std::string>();
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  return {told["id"].asInt64(), Json::writeString(builder, told)};
}

drogon::PubSubService<Event>& news() {
  static drogon::PubSubService<Event> service;
  return service;
}

/// One event stream. What happens while it is told what it has missed waits until then.
class Listener {
 public:
  explicit Listener(drogon::ResponseStreamPtr stream) : stream_(std::move(stream)) {}

  void tell(const Event& event) {
    const std::scoped_lock lock(mutex_);
    if (is_caught_up_) {
      send(event);
    } else {
      waiting_.push_back(event);
    }
  }
  void catch_up(std::vector<Event> missed) {
    const std::scoped_lock lock(mutex_);
    missed.insert(missed.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
    is_caught_up_ = true;
    for (const Event& event : missed) {
      send(event);
    }
  }
  /// Whether somebody is still there.
  bool beat() {
    const std::scoped_lock lock(mutex_);
    return stream_->send(":\n\n");
  }

 private:
  void send(const Event& event) {
    if (event.id > seen_) {
      seen_ = event.id;
      stream_->send("event: issue\nid: " + std::to_string(event.id) + "\ndata: " + event.text +
                    "\n\n");
    }
  }

  std::mutex mutex_;
  drogon::ResponseStreamPtr stream_;
  std::vector<Event> waiting_;
  std::int64_t seen_ = 0;
  bool is_caught_up_ = false;
};

Task<> catch_up(std::shared_ptr<Listener> listener, std::optional<std::int64_t> last) {
  std::vector<Event> missed;
  if (last) {
    const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
        "select id, kind, issue_id, by from events where id > ? order by id limit ?", *last,
        kMissedMax);
    for (const auto& row : rows) {
      missed.push_back(to_event(row));
    }
  }
  listener->catch_up(std::move(missed));
}

void listen(drogon::ResponseStreamPtr stream, std::optional<std::int64_t> last) {
  auto listener = std::make_shared<Listener>(std::move(stream));
  listener->beat();  // the head goes with the first bytes
  const auto place = news().subscribe(
      kTopic, [listener](const std::string&, const Event& event) { listener->tell(event); });
  trantor::EventLoop* loop = trantor::EventLoop::getEventLoopOfCurrentThread();
  auto timer = std::make_shared<trantor::TimerId>(trantor::InvalidTimerId);
  *timer = loop->runEvery(kBeatSeconds, [left = std::weak_ptr(listener), place, loop, timer] {
    const auto listener = left.lock();
    if (!listener || !listener->beat()) {
      news().unsubscribe(kTopic, place);
      loop->invalidateTimer(*timer);
    }
  });
  drogon::async_run([listener, last] { return catch_up(listener, last); });
}

std::string signature(const std::string& secret, const std::string& body) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> code{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(body.data()), body.size(), code.data(), &size);
  std::string hex = drogon::utils::binaryStringToHex(code.data(), size, true);
  return "sha256=" + hex;
}

/// Whether there was one, and whether it was taken.
Task<std::optional<bool>> deliver_next(drogon::HttpClientPtr client, std::string path,
                                       std::string secret) {
  const DbClientPtr db = drogon::app().getDbClient();
  const auto rows = co_await db->execSqlCoro(
      "select id, kind, issue_id, by from events where not is_delivered order by id limit 1");
  if (rows.empty()) {
    co_return std::nullopt;
  }
  const Event event = to_event(rows[0]);
  auto request = drogon::HttpRequest::newHttpRequest();
  request->setMethod(drogon::Post);
  request->setPath(path);
  request->setContentTypeCode(drogon::CT_APPLICATION_JSON);
  request->setBody(event.text);
  request->addHeader("X-Tracker-Event", std::to_string(event.id));
  if (!secret.empty()) {
    request->addHeader("X-Hub-Signature-256", signature(secret, event.text));
  }
  const auto reply = co_await client->sendRequestCoro(request, kHookSeconds);
  if (reply->statusCode() / 100 != 2) {
    co_return false;
  }
  co_await db->execSqlCoro("update events set is_delivered = 1 where id = ?", event.id);
  co_return true;
}

}  // namespace

Task<> commit_with(std::shared_ptr<drogon::orm::Transaction> all, std::string kind,
                   std::int64_t issue_id, std::string by) {
  const auto rows = co_await all->execSqlCoro(
      "insert into events(kind, issue_id, by) values(?, ?, ?) returning id, kind, issue_id, by",
      kind, issue_id, by);
  const Event event = to_event(rows[0]);
  const bool is_committed = co_await Commit(std::move(all));
  if (!is_committed) {
    throw std::runtime_error("not committed");
  }
  news().publish(kTopic, event);
}

Task<> deliver(std::string url, std::string secret) {
  const std::size_t path = url.find('/', url.find("://") + 3);
  const auto client = drogon::HttpClient::newHttpClient(url.substr(0, path));
  for (double wait = 1;;) {
    std::optional<bool> is_taken = false;
    try {
      is_taken = co_await deliver_next(client, url.substr(path), secret);
    } catch (const std::exception& exception) {
      LOG_WARN << "webhook: " << exception.what();
    }
    const bool has_failed = is_taken && !*is_taken;
    wait = has_failed ? std::min(wait * 2, 300.0) : 1;
    if (!is_taken || has_failed) {
      co_await drogon::sleepCoro(drogon::app().getLoop(), has_failed ? wait / 2 : 0.5);
    }
  }
}

class Live : public drogon::HttpController<Live> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Live::events, "/api/events", drogon::Get, "tracker::LoggedIn");
  METHOD_LIST_END

  Task<HttpResponsePtr> events(HttpRequestPtr request) {
    const std::string& field = request->getHeader("last-event-id");
    std::int64_t id = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), id);
    const bool is_read = read.ec == std::errc() && read.ptr == field.data() + field.size();
    const auto last = is_read ? std::optional(id) : std::nullopt;
    HttpResponsePtr response = HttpResponse::newAsyncStreamResponse(
        [last](drogon::ResponseStreamPtr stream) { listen(std::move(stream), last); }, true);
    response->setContentTypeString("text/event-stream");
    response->addHeader("Cache-Control", "no-cache");
    co_return response;
  }
};

class Push : public drogon::WebSocketController<Push> {
 public:
  WS_PATH_LIST_BEGIN
  WS_PATH_ADD("/api/live", "tracker::LoggedIn", drogon::Get);
  WS_PATH_LIST_END

  void handleNewConnection(const HttpRequestPtr&,
                           const drogon::WebSocketConnectionPtr& socket) override {
    const auto place = news().subscribe(
        kTopic, [socket](const std::string&, const Event& event) { socket->send(event.text); });
    socket->setContext(std::make_shared<drogon::SubscriberID>(place));
  }
  void handleNewMessage(const drogon::WebSocketConnectionPtr&, std::string&&,
                        const drogon::WebSocketMessageType&) override {}
  void handleConnectionClosed(const drogon::WebSocketConnectionPtr& socket) override {
    if (const auto place = socket->getContext<drogon::SubscriberID>()) {
      news().unsubscribe(kTopic, *place);
    }
  }
};

}  // namespace tracker
