// Answers that never end by themselves: server-sent events, and JSON values line by line.
// Must not know connections: it is handed the writer of the response's content.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/producing.h"
#include "eider/base/buffer.h"
#include "eider/http/sse.h"
#include "eider/json/write.h"
#include "eider/runtime/time.h"
#include "eider/server/content.h"

namespace eider {

/// A parameter of a handler that returns a Task; the response is text/event-stream.
///
///     app.get("/ticks", [](EventStream events) -> Task<> {
///       for (int count = 0;; ++count) {
///         co_await events.send({.event = "tick", .data = std::to_string(count)});
///         co_await sleep_for(std::chrono::seconds(1));
///       }
///     });
///
/// When the client leaves, the handler is destroyed where it waits. A comment is sent whenever
/// nothing else was for a while, so that proxies keep the connection and a client that has gone is
/// noticed.
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

  /// The id of the last event that a client saw which reconnects; empty for a new one.
  [[nodiscard]] const std::string& last_event_id() const noexcept;

  /// After how much silence a comment is sent; zero: never.
  void set_heartbeat(Duration silence);

 private:
  class State;
  std::unique_ptr<State> state_;  // the timer in it must not move
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

template <>
struct Extract<EventStream> : ExtractProducing<EventStream> {
  static constexpr bool kIsLive = true;
  static void prepare(Response& response);
  static EventStream make(BodyWriter& out, const Request& request);
};

template <class T>
struct Extract<JsonLines<T>> : ExtractProducing<JsonLines<T>> {
  static constexpr bool kIsLive = true;
  static void prepare(Response& response) { response.set_static_type(JsonLines<T>::kContentType); }
  static JsonLines<T> make(BodyWriter& out, const Request& /*request*/) {
    return JsonLines<T>(out);
  }
};

}  // namespace eider
