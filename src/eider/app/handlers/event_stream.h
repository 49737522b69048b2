// Endless responses: server-sent events, and JSON values as events or as lines.
// Layering: must not know connections; it gets a writer of the response body.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/producing.h"
#include "eider/core/base/buffer.h"
#include "eider/core/json/write.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/sse.h"
#include "eider/server/content.h"
#include "eider/server/topics.h"

namespace eider {

struct SubscribeOptions {
  /// Maximum size of events that wait for a slow client, in addition to the buffers of its
  /// connection. A larger event waits alone.
  std::size_t backpressure_bytes_max = 256UL * 1024;
  /// Action for an event that does not fit: skip the event, or end the stream after the waiting
  /// events. The client reconnects by itself, and can get the events that it missed.
  SlowConsumer slow_consumer = SlowConsumer::disconnect;
};

/// Collects events of topics for one event stream, for handlers that first send missed events and
/// must not lose any in between.
///
///     TopicSubscription news(*topics);
///     news.listen("orders");
///     for (const Order& order : co_await store->since(events.last_event_id())) …
///     co_await events.subscribe(news);
class TopicSubscription final : private TopicListener {
 public:
  /// topics  must outlive this object
  explicit TopicSubscription(Topics& topics, SubscribeOptions options = {});
  ~TopicSubscription() override;

  using TopicListener::listen;

  /// Set while there are events, and when no more will come.
  [[nodiscard]] AsyncEvent& coming() noexcept { return coming_; }
  /// Moves the collected events into an empty buffer. The buffer stays empty if no more events will
  /// come: an event was missed, or the server shuts down.
  void take(Buffer& events);
  /// Moves at most `bytes_max` bytes of them, and returns how these end. The rest stays in memory
  /// that all subscribers of the topic share.
  BodyWriter::Ending take(Buffer& events, std::size_t bytes_max);

 private:
  class Gathered;

  void on_published(std::string_view event) override;
  void on_gap() override;
  void on_over() override;
  void end_behind_gap() noexcept;

  SubscribeOptions options_;
  std::unique_ptr<Gathered> gathered_;
  AsyncEvent coming_;
  bool is_over_ = false;
};

/// A stream of server-sent events (text/event-stream); a parameter of handlers that return a Task.
///
///     app.get("/ticks", [](EventStream events) -> Task<> {
///       for (int count = 0;; ++count) {
///         co_await events.send({.event = "tick", .data = std::to_string(count)});
///         co_await sleep_for(std::chrono::seconds(1));
///       }
///     });
///
/// When the client disconnects, the handler is destroyed where it waits. The same happens at a
/// graceful shutdown; each stream then sends its client a time to reconnect (`retry`, 500 to 5,000
/// ms). During silence, comments are sent, so that proxies keep the connection and disconnected
/// clients are detected.
///
/// To send the messages of a topic:
///
///     app.get("/rooms/{room}", [](std::string room, EventStream events, State<Topics> topics) {
///       return events.subscribe(*topics, room);
///     });
class EventStream {
 public:
  static constexpr std::string_view kContentType = kTextEventStream;
  static constexpr Duration kHeartbeat = std::chrono::seconds(15);

  /// out            must outlive this object
  /// last_event_id  the Last-Event-ID header of the client
  EventStream(BodyWriter& out, std::string last_event_id);
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  /// `co_await events.send({.event = "tick", .data = "…", .id = "7"});`
  ///
  /// The call writes the event; awaiting waits while the client is slow. Throws
  /// std::invalid_argument for a line end or NUL in the name or the ID.
  [[nodiscard]] BodyWriter::WriteAwaiter send(const SseEvent& event);
  /// Sends lines that clients ignore.
  [[nodiscard]] BodyWriter::WriteAwaiter comment(std::string_view text);

  /// Sends the messages of a topic from now on, including those of other event loops and
  /// WebSockets, until the client disconnects. The task owns the stream, so a handler can return
  /// it.
  ///
  /// topics   must outlive the task
  /// returns  when the client missed an event because its buffer was full (SubscribeOptions), after
  ///          the waiting events; or when a graceful shutdown starts. The client reconnects with
  ///          the ID of its last event
  [[nodiscard]] Task<> subscribe(Topics& topics, std::string topic, SubscribeOptions options = {});
  /// Sends the messages that `news` has collected and collects from now on. `news` must outlive the
  /// task.
  [[nodiscard]] Task<> subscribe(TopicSubscription& news);

  /// Returns the ID of the last event that a reconnecting client has seen; empty for a new client.
  [[nodiscard]] const std::string& last_event_id() const noexcept;

  /// Sets the time of silence after which a comment is sent; zero: never.
  void set_heartbeat(Duration silence);

 private:
  friend class FollowedTopic;
  class State;
  std::unique_ptr<State> state_;  // the timer in it must not move
};

/// An EventStream whose events contain a T as JSON, described in OpenAPI documents. Messages of
/// followed topics are sent unchanged and must contain a T, too.
///
///     app.get("/ticks", [](JsonEvents<Tick> events) -> Task<> {
///       for (int count = 0;; ++count) {
///         co_await events.send({.count = count}, {.id = std::to_string(count)});
///         co_await sleep_for(std::chrono::seconds(1));
///       }
///     });
template <class T>
class JsonEvents : public EventStream {
 public:
  using EventStream::EventStream;

  /// Sends an event, like EventStream::send.
  ///
  /// event  name and ID of the event; its data is `value`
  [[nodiscard]] BodyWriter::WriteAwaiter send(const T& value, SseEvent event = {}) {
    const std::string text = json::to_text(value);
    event.data = text;
    return EventStream::send(event);
  }
};

/// A response with one JSON text (RFC 8259) per line; a parameter of handlers that return a Task.
///
///     app.get("/rows", [](JsonLines<Row> lines) -> Task<> {
///       for (const Row& row : rows) co_await lines.send(row);
///     });
template <class T>
class JsonLines {
 public:
  static constexpr std::string_view kContentType = "application/x-ndjson";

  /// out  must outlive this object
  explicit JsonLines(BodyWriter& out) noexcept : out_(&out) {}

  /// Writes the value; awaiting waits while the client is slow.
  [[nodiscard]] BodyWriter::WriteAwaiter send(const T& value) {
    line_.clear();
    json::write(line_, value);
    line_.append('\n');
    out_->put(line_.view());
    out_->flush();
    return BodyWriter::WriteAwaiter(out_->room());
  }

 private:
  BodyWriter* out_;
  Buffer line_;
};

namespace detail::app {

[[nodiscard]] std::string last_event_id_of(const Request& request);
/// data  type of the events' data, as JSON; null: text
void describe_event_stream(Operation& operation, const reflect::Type* data);

}  // namespace detail::app

template <>
struct Extract<EventStream> : ExtractProducing<EventStream, ArgumentKind::live_output> {
  static void prepare(Response& response);
  /// Returns the time after which the client reconnects.
  [[nodiscard]] static std::string last_words();
  static EventStream make(BodyWriter& out, const Request& request);
  static void describe(Operation& operation) {
    detail::app::describe_event_stream(operation, nullptr);
  }
};

template <class T>
struct Extract<JsonEvents<T>> : ExtractProducing<JsonEvents<T>, ArgumentKind::live_output> {
  static void prepare(Response& response) { Extract<EventStream>::prepare(response); }
  [[nodiscard]] static std::string last_words() { return Extract<EventStream>::last_words(); }
  static JsonEvents<T> make(BodyWriter& out, const Request& request) {
    return {out, detail::app::last_event_id_of(request)};
  }
  static void describe(Operation& operation) {
    detail::app::describe_event_stream(operation, &reflect::type_of<T>());
  }
};

template <class T>
struct Extract<JsonLines<T>> : ExtractProducing<JsonLines<T>, ArgumentKind::live_output> {
  static void prepare(Response& response) { response.set_static_type(JsonLines<T>::kContentType); }
  static JsonLines<T> make(BodyWriter& out, const Request& /*request*/) {
    return JsonLines<T>(out);
  }
  static void describe(Operation& operation) {
    detail::app::describe_streamed_response(operation, JsonLines<T>::kContentType,
                                            &reflect::type_of<T>());
  }
};

}  // namespace eider
