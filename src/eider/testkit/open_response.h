// Reads responses that stay open in a test: event streams and WebSockets.
// Layering: must not outlive the TestClient that opened them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h1/response_body.h"
#include "eider/protocols/http/sse.h"
#include "eider/protocols/http/ws/close_code.h"
#include "eider/protocols/http/ws/message_reader.h"
#include "eider/testkit/sim_kernel.h"
#include "eider/testkit/test_response.h"

namespace eider {

namespace detail::testkit {

/// A connection for one request with a response that stays open.
class OpenResponse {
 public:
  /// Waits for the status and headers. Throws a Failure if none arrive, or the status is not
  /// `wanted`.
  OpenResponse(SimKernel& kernel, SimClient client, std::string_view request, int wanted);

  /// Returns the response without its body.
  [[nodiscard]] const TestResponse& head() const noexcept { return head_; }
  /// Returns the next part of the body, or the raw bytes after 101. Waits until `end`; empty if no
  /// more bytes arrived.
  [[nodiscard]] std::string take(Instant end);
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  [[nodiscard]] Instant now() const noexcept { return kernel_.now(); }
  void send(std::string_view bytes);

 private:
  [[nodiscard]] bool receive(Instant end);
  [[nodiscard]] bool take_head();
  [[nodiscard]] std::string take_content();

  SimKernel& kernel_;
  SimClient client_;
  std::string received_;
  TestResponse head_;
  h1::ResponseBodyReader content_;
  bool has_ended_ = false;
};

}  // namespace detail::testkit

/// Time limit for tests that wait, in simulated time.
inline constexpr Duration kTestPatience = std::chrono::minutes(1);

struct TestEvent {
  std::string event;  // "message" by default
  std::string data;
  std::string id;  // the last ID of the stream
};

/// An event stream in a test.
///
///     TestEvents events = client.events("/ticks");
///     EXPECT_EQ(events.next()->data, "1");
class TestEvents {
 public:
  /// Throws a Failure if a response, or a part of one, does not match the OpenAPI document.
  using Hold = std::function<void(const TestResponse&)>;

  /// hold  called with the headers, and with the headers and each event; null: no validation
  TestEvents(SimKernel& kernel, SimClient client, std::string_view request, Hold hold = {});
  TestEvents(const TestEvents&) = delete;
  TestEvents& operator=(const TestEvents&) = delete;

  /// Returns the next event; comments are skipped. Returns nothing if none arrived within that
  /// time, or the stream has ended. Throws a Failure if the event does not match the document
  /// (TestClientOptions).
  [[nodiscard]] std::optional<TestEvent> next(Duration within = kTestPatience);
  [[nodiscard]] bool has_ended() const noexcept { return response_.has_ended(); }
  /// Returns status and headers of the response.
  [[nodiscard]] const TestResponse& head() const noexcept { return response_.head(); }

 private:
  void hold() const;

  detail::testkit::OpenResponse response_;
  SseParser parser_;
  std::string unread_;
  Hold hold_;
};

struct TestMessage {
  std::string bytes;
  bool is_text = true;
};

/// A WebSocket in a test.
///
///     TestWebSocket socket = client.websocket("/feed/a");
///     socket.send("hello");
///     EXPECT_EQ(socket.receive()->bytes, "hello");
class TestWebSocket {
 public:
  TestWebSocket(SimKernel& kernel, SimClient client, std::string_view request);
  TestWebSocket(const TestWebSocket&) = delete;
  TestWebSocket& operator=(const TestWebSocket&) = delete;

  void send(std::string_view text);
  void send_binary(std::string_view bytes);
  /// Returns the next message; pings are answered. Returns nothing if none arrived within that
  /// time, or the server closed the WebSocket. Throws a Failure if the server violates the
  /// protocol.
  [[nodiscard]] std::optional<TestMessage> receive(Duration within = kTestPatience);
  /// Starts the close handshake; `receive` waits for its end.
  void close(ws::CloseCode code = ws::CloseCode::normal, std::string_view reason = {});
  /// Returns the close code of the server; `abnormal` if the connection ended without one.
  [[nodiscard]] std::optional<ws::CloseCode> close_code() const noexcept;
  [[nodiscard]] const std::string& close_reason() const noexcept { return close_reason_; }
  [[nodiscard]] const TestResponse& head() const noexcept { return response_.head(); }

 private:
  void send(ws::MessageType type, std::string_view payload);
  void take_close(const ws::Event& event);

  detail::testkit::OpenResponse response_;
  ws::MessageReader reader_;
  Buffer scratch_;
  std::string unread_;
  std::optional<ws::CloseCode> close_code_;
  std::string close_reason_;
  bool has_closed_ = false;  // this side
};

}  // namespace eider
