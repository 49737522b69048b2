// Answers that never end by themselves: server-sent events, and JSON values as these or line by
// line. Must not know connections: it is handed the writer of the response's content.
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

struct FollowOptions {
  /// Of events that may wait for a client that reads slowly, beside what its connection holds. One
  /// that is larger waits alone.
  std::size_t backpressure_bytes_max = 256UL * 1024;
  /// Of an event that finds no room: it is left out, or the stream ends behind those that wait. The
  /// client comes back by itself, and can be sent what it missed.
  WhenSlow when_slow = WhenSlow::disconnect;
};

/// What is published under topics, gathered for one event stream: for a handler that sends first
/// what its client has missed, and must lose nothing in between.
///
///     TopicNews news(*topics);
///     news.listen("orders");
///     for (const Order& order : co_await store->since(events.last_event_id())) …
///     co_await events.follow(news);
class TopicNews final : private TopicListener {
 public:
  /// topics  outlives it
  explicit TopicNews(Topics& topics, FollowOptions options = {});
  ~TopicNews() override;

  using TopicListener::listen;

  /// Set while there is something to take, and once nothing comes any more.
  [[nodiscard]] Event& coming() noexcept { return coming_; }
  /// Moves what has been gathered, as it is written, into an empty buffer, which is empty then
  /// where nothing comes any more: an event was missed, or the server ends.
  void take(Buffer& events);

 private:
  friend class FollowedTopic;
  class Gathered;

  void on_published(std::string_view event) override;
  void on_gap() override;
  void on_over() override;
  void take(Buffer& events, std::size_t bytes_max);
  void end_behind_gap() noexcept;

  FollowOptions options_;
  std::unique_ptr<Gathered> gathered_;
  Event coming_;
  bool is_over_ = false;
};

/// A parameter of a handler that returns a Task; the response is text/event-stream.
///
///     app.get("/ticks", [](EventStream events) -> Task<> {
///       for (int count = 0;; ++count) {
///         co_await events.send({.event = "tick", .data = std::to_string(count)});
///         co_await sleep_for(std::chrono::seconds(1));
///       }
///     });
///
/// When the client leaves, the handler is destroyed where it waits. So it is when the server
/// drains; each stream that ends then tells its client last when to come back (`retry`, from 500 to
/// 5,000 ms). A comment is sent whenever nothing else was for a while, so that proxies keep the
/// connection and a client that has gone is noticed.
///
/// What is published under a topic is followed in one line:
///
///     app.get("/rooms/{room}", [](std::string room, EventStream events, State<Topics> topics) {
///       return events.follow(*topics, room);
///     });
class EventStream {
 public:
  static constexpr std::string_view kContentType = kTextEventStream;
  static constexpr Duration kHeartbeat = std::chrono::seconds(15);

  /// out            outlives it
  /// last_event_id  what the client says it has seen: its Last-Event-ID field
  EventStream(BodyWriter& out, std::string last_event_id);
  EventStream(EventStream&&) noexcept;
  EventStream& operator=(EventStream&&) noexcept;
  ~EventStream();

  /// `co_await events.send({.event = "tick", .data = "…", .id = "7"});`
  ///
  /// The event is written by the call; awaiting waits while the client is slow. Nothing of the
  /// event is kept. Throws std::invalid_argument on a line end or NUL in the name or the id.
  [[nodiscard]] BodyWriter::WriteAwaiter send(const SseEvent& event);
  /// Lines that clients pass over.
  [[nodiscard]] BodyWriter::WriteAwaiter comment(std::string_view text);

  /// Sends what is published under the topic from now on, also by other loops and by WebSockets,
  /// for as long as the client stays. The stream goes along into the task, so that `return` will
  /// do.
  ///
  /// topics   outlives the task
  /// returns  behind what had come when the client missed an event for which there was no room
  ///          (FollowOptions), and when the server begins to drain: the client comes back, and says
  ///          which event it saw last
  [[nodiscard]] Task<> follow(Topics& topics, std::string topic, FollowOptions options = {});
  /// The same of what `news` has gathered, and gathers from now on. It outlives the task.
  [[nodiscard]] Task<> follow(TopicNews& news);

  /// The id of the last event that a client saw which reconnects; empty for a new one.
  [[nodiscard]] const std::string& last_event_id() const noexcept;

  /// After how much silence a comment is sent; zero: never.
  void set_heartbeat(Duration silence);

 private:
  friend class FollowedTopic;
  class State;
  std::unique_ptr<State> state_;  // the timer in it must not move
};

/// An EventStream whose events hold a T each, as JSON, and whose document says so. What is followed
/// is sent as it was published: that has to be a T's text, too.
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

  /// As EventStream::send.
  ///
  /// event  what else there is to say of it: its data is `value`
  [[nodiscard]] BodyWriter::WriteAwaiter send(const T& value, SseEvent event = {}) {
    const std::string text = json::to_text(value);
    event.data = text;
    return EventStream::send(event);
  }
};

/// A parameter of a handler that returns a Task; the response is one JSON text (RFC 8259) per line.
///
///     app.get("/rows", [](JsonLines<Row> lines) -> Task<> {
///       for (const Row& row : rows) co_await lines.send(row);
///     });
template <class T>
class JsonLines {
 public:
  static constexpr std::string_view kContentType = "application/x-ndjson";

  /// out  outlives it
  explicit JsonLines(BodyWriter& out) noexcept : out_(&out) {}

  /// The value is written by the call; awaiting waits while the client is slow.
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
/// data  what each event's is, as JSON; null: text
void describe_event_stream(Operation& operation, const reflect::Type* data);

}  // namespace detail::app

template <>
struct Extract<EventStream> : ExtractProducing<EventStream, ArgumentKind::live_output> {
  static void prepare(Response& response);
  /// When the client is to come back.
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
    detail::app::describe_streamed_answer(operation, JsonLines<T>::kContentType,
                                          &reflect::type_of<T>());
  }
};

}  // namespace eider
