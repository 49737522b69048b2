// The server side of an HTTP/2 connection: bytes in, events out (RFC 9113).
// Layering: must not know sockets, clocks or the meaning of requests; it hides nghttp2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/head_builder.h"
#include "eider/protocols/http/h2/out_field.h"

namespace eider::h2 {

using StreamId = std::int32_t;

/// With these bytes a client begins (RFC 9113, section 3.4).
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// In ALPN (RFC 9113, section 3.2).
inline constexpr std::string_view kAlpnName = "h2";

/// RFC 9113, section 7.
enum class ErrorCode : std::uint32_t {
  no_error = 0,
  protocol_error = 1,
  internal_error = 2,
  flow_control_error = 3,
  settings_timeout = 4,
  stream_closed = 5,
  frame_size_error = 6,
  refused_stream = 7,
  cancel = 8,
  compression_error = 9,
  connect_error = 10,
  enhance_your_calm = 11,
  inadequate_security = 12,
  http_1_1_required = 13,
};

struct SessionOptions {
  HeadLimits head = {};
  /// Streams that a client may have open at once.
  std::uint32_t streams_max = 100;
  /// Content of one stream that a client may send before any of it is taken: 65535 or more.
  std::uint32_t stream_window_bytes = 65535;
  /// The same of all streams together: 65535 or more.
  std::uint32_t connection_window_bytes = 1024 * 1024;
};

/// How much of a response's content can be sent now.
struct Ready {
  std::size_t bytes = 0;
  /// Behind these bytes the content ends.
  bool is_last = false;
};

/// What serves one stream. Calls come from within Session::receive and Session::send, where
/// `respond`, `inform`, `reset`, `consume` and `resume` may be called, and nothing else.
class StreamUser {
 public:
  /// Where the head is gathered; it is begun anew first.
  [[nodiscard]] virtual HeadBuilder& head() noexcept = 0;
  /// All of the head is there: HeadBuilder::finish says what it is.
  virtual void on_head(Ends ends) = 0;
  /// Content, at least one byte; counted against the stream's window until `consume`.
  virtual void on_data(std::string_view bytes) = 0;
  /// The content has ended, and is as long as its head had said.
  ///
  /// trailer_lines  "name: value\r\n" each; valid during the call
  virtual void on_content_end(std::string_view trailer_lines) = 0;
  /// All of the response has been sent. Where the request's content has not ended it is still
  /// arriving: to be ignored for a while, and then ended by `reset` with no_error (RFC 9113,
  /// section 8.1). Else `on_closed` follows.
  virtual void on_answered() = 0;
  /// The stream is no more; the last call.
  virtual void on_closed(ErrorCode why) = 0;

  /// What can be sent of the response's content: nothing that is not the last means "later", until
  /// Session::resume.
  [[nodiscard]] virtual Ready ready(std::size_t bytes_max) noexcept = 0;
  /// Copies the next `bytes` of it. False when they are not to be had: the stream is reset.
  [[nodiscard]] virtual bool put(char* to, std::size_t bytes) noexcept = 0;
  /// Fields behind the content, "Name: value\r\n" each; asked with the last of it.
  [[nodiscard]] virtual std::string_view trailer_lines() const noexcept { return {}; }

 protected:
  ~StreamUser() = default;
};

class SessionUser {
 public:
  /// A request begins. The result outlives its stream.
  [[nodiscard]] virtual StreamUser& on_stream(StreamId id) = 0;
  /// Some of many requests that came at once have been read, and may be served before the others;
  /// here `Session::send` may be called too. Not where the client takes any of them back at once,
  /// nor where it has ever said that one request is more urgent than another (RFC 9218).
  virtual void on_part() {}
  /// The response to `ping`.
  virtual void on_pong() {}

 protected:
  ~SessionUser() = default;
};

/// A frame that has begun to arrive and has not ended, or a head with the frames that continue it.
struct Unfinished {
  std::uint64_t number = 0;       ///< another one for the next that begins
  bool is_content = false;        ///< a DATA frame, rather than what takes a moment to send
  std::size_t missing_bytes = 0;  ///< of a DATA frame
};

class Session {
 public:
  /// user  outlives the session
  Session(SessionUser& user, const SessionOptions& options);
  /// Forgets all streams without a call.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Takes bytes from the peer. Errors are answered by themselves: see `is_over`.
  ///
  /// now_ms  of a steady clock, in milliseconds
  void receive(std::string_view bytes, std::uint64_t now_ms);

  /// Appends what is to be sent, until `out` holds `bytes_max` or a little more.
  ///
  /// returns  whether that was all there is for now
  bool send(Buffer& out, std::size_t bytes_max);

  /// Submits the head of a stream's response, and asks its user for content if there is some.
  ///
  /// stream  whom SessionUser::on_stream gave for that id
  /// fields  copied
  /// source  RFC 9113, section 8.1
  void respond(StreamId id, StreamUser& stream, std::span<const OutField> fields, Ends ends);
  /// Submits an interim response (RFC 9110, section 15.2).
  void inform(StreamId id, std::span<const OutField> fields);
  /// There is content again.
  void resume(StreamId id);
  /// Ends a stream by RST_STREAM.
  void reset(StreamId id, ErrorCode why);
  /// The user has made room for that much content.
  void consume(StreamId id, std::size_t bytes);

  void ping();
  /// GOAWAY that refuses nothing yet (RFC 9113, section 6.8).
  void announce_shutdown();
  /// GOAWAY that names the last stream that is served; those that there are go on.
  void shut_down();
  /// GOAWAY behind which nothing follows, and streams end.
  void terminate(ErrorCode why);

  /// Nothing further is to be received or sent.
  [[nodiscard]] bool is_over() const noexcept;
  /// Nothing that is received matters any more: the peer has broken the protocol or a limit, or
  /// `terminate` was called.
  [[nodiscard]] bool is_doomed() const noexcept;
  /// What has begun to arrive and has not ended, if anything.
  [[nodiscard]] std::optional<Unfinished> unfinished() const noexcept;
  /// How much the peer lets us send on that stream, and on the connection; 0 or less: nothing.
  [[nodiscard]] std::int32_t send_window(StreamId id) const noexcept;
  [[nodiscard]] std::int32_t send_window() const noexcept;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace eider::h2
