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

/// The first bytes from a client (RFC 9113, section 3.4).
inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The protocol name in ALPN (RFC 9113, section 3.2).
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
  /// The limit of a client's concurrent streams.
  std::uint32_t streams_max = 100;
  /// The receive window of one stream, in bytes: 65535 or more.
  std::uint32_t stream_window_bytes = 65535;
  /// The receive window of the connection, in bytes: 65535 or more.
  std::uint32_t connection_window_bytes = 1024 * 1024;
};

/// How much of a response's content can be sent now.
struct Ready {
  std::size_t bytes = 0;
  /// Whether the content ends after these bytes.
  bool is_last = false;
};

/// Serves one stream. Called from within Session::receive and Session::send. The functions may call
/// only `respond`, `inform`, `reset`, `consume` and `resume`.
class StreamUser {
 public:
  /// Returns the builder for the head; the session resets it first.
  [[nodiscard]] virtual HeadBuilder& head() noexcept = 0;
  /// The head is complete; HeadBuilder::finish checks it.
  virtual void on_head(Ends ends) = 0;
  /// Content, at least one byte; uses the stream's window until `consume`.
  virtual void on_data(std::string_view bytes) = 0;
  /// The content has ended, with the announced length.
  ///
  /// trailer_lines  "name: value\r\n" each; valid during the call
  virtual void on_content_end(std::string_view trailer_lines) = 0;
  /// The response has been sent completely. If the request's content has not ended, it is still
  /// arriving: ignore it for a while, then end the stream by `reset` with no_error (RFC 9113,
  /// section 8.1). Otherwise `on_closed` follows.
  virtual void on_answered() = 0;
  /// The stream has ended; this is the last call.
  virtual void on_closed(ErrorCode why) = 0;

  /// Returns how much of the response's content can be sent. Nothing that is not the last means
  /// "later", until Session::resume.
  [[nodiscard]] virtual Ready ready(std::size_t bytes_max) noexcept = 0;
  /// Copies the next `bytes` of the content. Returns false if they are not available: the stream is
  /// reset.
  [[nodiscard]] virtual bool put(char* to, std::size_t bytes) noexcept = 0;
  /// Returns the fields after the content, each "Name: value\r\n"; called with the last of the
  /// content.
  [[nodiscard]] virtual std::string_view trailer_lines() const noexcept { return {}; }

 protected:
  ~StreamUser() = default;
};

class SessionUser {
 public:
  /// A request starts. The result must outlive its stream.
  [[nodiscard]] virtual StreamUser& on_stream(StreamId id) = 0;
  /// Some of many requests that arrived together have been read, and may be served before the
  /// others; `Session::send` may be called here. Not called if the client resets one of them
  /// immediately, or has ever given a priority to a request (RFC 9218).
  virtual void on_part() {}
  /// The response to `ping`.
  virtual void on_pong() {}

 protected:
  ~SessionUser() = default;
};

/// A frame that has not arrived completely, or a head with its CONTINUATION frames.
struct Unfinished {
  std::uint64_t number = 0;       ///< differs for each unfinished frame
  bool is_content = false;        ///< a DATA frame; other frames take only a moment to send
  std::size_t missing_bytes = 0;  ///< of a DATA frame
};

class Session {
 public:
  /// user  must outlive the session
  Session(SessionUser& user, const SessionOptions& options);
  /// Drops all streams without calling their users.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Processes bytes from the peer. Errors are handled by the session: see `is_over`.
  ///
  /// now_ms  of a steady clock, in milliseconds
  void receive(std::string_view bytes, std::uint64_t now_ms);

  /// Appends pending output, until `out` has `bytes_max` bytes or slightly more.
  ///
  /// returns  whether all pending output was appended
  bool send(Buffer& out, std::size_t bytes_max);

  /// Submits the head of a stream's response. If there is content, calls the stream's user for it.
  ///
  /// stream  the result of SessionUser::on_stream for that id
  /// fields  copied
  /// source  RFC 9113, section 8.1
  void respond(StreamId id, StreamUser& stream, std::span<const OutField> fields, Ends ends);
  /// Submits an interim response (RFC 9110, section 15.2).
  void inform(StreamId id, std::span<const OutField> fields);
  /// Content is available again.
  void resume(StreamId id);
  /// Ends a stream with RST_STREAM.
  void reset(StreamId id, ErrorCode why);
  /// The user has consumed that much content, so that the window grows again.
  void consume(StreamId id, std::size_t bytes);

  void ping();
  /// Sends a GOAWAY that does not yet reject streams (RFC 9113, section 6.8).
  void announce_shutdown();
  /// Sends a GOAWAY with the last stream that is served; open streams continue.
  void shut_down();
  /// Sends a GOAWAY and ends all streams; nothing is sent afterwards.
  void terminate(ErrorCode why);

  /// Returns whether nothing is left to receive or send.
  [[nodiscard]] bool is_over() const noexcept;
  /// Returns whether further input is ignored, because the peer has violated the protocol or a
  /// limit, or `terminate` was called.
  [[nodiscard]] bool is_doomed() const noexcept;
  /// Returns the frame or head that has not arrived completely, if any.
  [[nodiscard]] std::optional<Unfinished> unfinished() const noexcept;
  /// Returns the send window of that stream, and of the connection; 0 or less: nothing may be sent.
  [[nodiscard]] std::int32_t send_window(StreamId id) const noexcept;
  [[nodiscard]] std::int32_t send_window() const noexcept;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace eider::h2
