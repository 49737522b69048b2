// Answers of a test that last: event streams and WebSockets, read as they come.
// Must not outlive the TestClient that has opened them.
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
#include "eider/testkit/reply.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {

namespace detail::testkit {

/// A connection for one request, whose answer goes on for as long as the test looks at it.
class OpenAnswer {
 public:
  /// Waits for the head. Throws Failure when none comes, or another status than `wanted`.
  OpenAnswer(SimKernel& kernel, SimClient client, std::string_view request, int wanted);

  /// Without its content.
  [[nodiscard]] const Reply& head() const noexcept { return head_; }
  /// More of the content, unframed; behind 101 the bytes as they come. Waits until `end`: empty
  /// when nothing came by then, or nothing more will.
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
  Reply head_;
  h1::ResponseBodyReader content_;
  bool has_ended_ = false;
};

}  // namespace detail::testkit

/// How long a test waits for what is to come, in simulated time.
inline constexpr Duration kTestPatience = std::chrono::minutes(1);

struct TestEvent {
  std::string event;  // "message" unless the stream says another
  std::string data;
  std::string id;  // the last that was said
};

///     TestEvents events = client.events("/ticks");
///     EXPECT_EQ(events.next()->data, "1");
class TestEvents {
 public:
  /// Throws Failure where an answer, as far as it has come, is not as it was promised.
  using Hold = std::function<void(const Reply&)>;

  /// hold  called with the head, and with the head and each event by itself; null: nobody holds it
  TestEvents(SimKernel& kernel, SimClient client, std::string_view request, Hold hold = {});
  TestEvents(const TestEvents&) = delete;
  TestEvents& operator=(const TestEvents&) = delete;

  /// The next event; comments are passed over. Nothing when none has come within that time, or the
  /// stream has ended. Throws Failure for one that is not as the document has it
  /// (TestClientOptions).
  [[nodiscard]] std::optional<TestEvent> next(Duration within = kTestPatience);
  [[nodiscard]] bool has_ended() const noexcept { return answer_.has_ended(); }
  /// Status and fields of the answer.
  [[nodiscard]] const Reply& head() const noexcept { return answer_.head(); }

 private:
  void hold() const;

  detail::testkit::OpenAnswer answer_;
  SseParser parser_;
  std::string unread_;
  Hold hold_;
};

struct TestMessage {
  std::string bytes;
  bool is_text = true;
};

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
  /// The next message; pings are answered. Nothing when none has come within that time, or the
  /// other side has closed. Throws Failure for what breaks the protocol.
  [[nodiscard]] std::optional<TestMessage> receive(Duration within = kTestPatience);
  /// Begins the close handshake; `receive` waits for its end.
  void close(ws::CloseCode code = ws::CloseCode::normal, std::string_view reason = {});
  /// What the other side has closed with, once it has; `abnormal` without a word.
  [[nodiscard]] std::optional<ws::CloseCode> close_code() const noexcept;
  [[nodiscard]] const std::string& close_reason() const noexcept { return close_reason_; }
  [[nodiscard]] const Reply& head() const noexcept { return answer_.head(); }

 private:
  void send(ws::MessageType type, std::string_view payload);
  void take_close(const ws::Event& event);

  detail::testkit::OpenAnswer answer_;
  ws::MessageReader reader_;
  Buffer scratch_;
  std::string unread_;
  std::optional<ws::CloseCode> close_code_;
  std::string close_reason_;
  bool has_closed_ = false;  // this side
};

}  // namespace eider
