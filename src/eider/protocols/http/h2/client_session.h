// The client side of an HTTP/2 connection: requests out, checked responses in (RFC 9113).
// Layering: must not know sockets, clocks or the meaning of requests; it hides nghttp2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/h2/reply_builder.h"
#include "eider/protocols/http/h2/session.h"

namespace eider::h2 {

struct ClientSessionOptions {
  ReplyLimits reply = {};
  /// The limit of concurrent requests, even if the server allows more.
  std::uint32_t streams_max = 256;
  /// The limit until the server has announced its own.
  std::uint32_t early_streams_max = 100;
  /// The receive window of one response, in bytes: 65535 or more.
  std::uint32_t stream_window_bytes = 256 * 1024;
  /// The receive window of the connection, in bytes: 65535 or more.
  std::uint32_t connection_window_bytes = 4 * 1024 * 1024;
};

/// How a stream ended.
enum class StreamFate : std::uint8_t {
  /// The response is complete, and so is the request.
  whole,
  /// The server has reset it; `code` has the reason.
  reset,
  /// The same, and the server did not process it (REFUSED_STREAM).
  refused,
  /// The server did not process it: it shuts down (GOAWAY), or the request was never sent, or it
  /// was refused because it was sent before the server announced its limit of streams.
  unseen,
  /// The response is invalid.
  malformed,
  /// The head of the response exceeds a limit.
  too_large,
};

/// text  a sentence, if the response is malformed or too large
struct StreamEnd {
  StreamFate fate;
  ErrorCode code;
  std::string_view text;
};

/// Receives one response. Called from within ClientSession::receive and `send`. The functions may
/// call only `reset`, `consume` and `resume`.
class ReplyUser {
 public:
  /// An interim response, 100 to 199; valid during the call.
  virtual void on_interim(const ReplyHead& head) = 0;
  /// The final head; valid during the call.
  virtual void on_head(const ReplyHead& head) = 0;
  /// Content, at least one byte; uses the stream's window until `consume`.
  virtual void on_data(std::string_view bytes) = 0;
  /// The response is complete, with the announced length.
  ///
  /// trailer_lines  "name: value\r\n" each; valid during the call
  virtual void on_end(std::string_view trailer_lines) = 0;
  /// The stream has ended; this is the last call.
  virtual void on_closed(const StreamEnd& end) = 0;

  /// Returns how much of the request's content can be sent. Nothing that is not the last means
  /// "later", until ClientSession::resume.
  [[nodiscard]] virtual Ready ready(std::size_t bytes_max) noexcept = 0;
  /// Copies the next `bytes` of the content.
  virtual void put(char* to, std::size_t bytes) noexcept = 0;
  /// Returns the fields after the content, each "Name: value\r\n"; called with the last of the
  /// content.
  [[nodiscard]] virtual std::string_view trailer_lines() const noexcept { return {}; }

 protected:
  ~ReplyUser() = default;

 private:
  friend class ClientSession;
  bool has_head_ = false;
  bool has_ended_ = false;
  bool is_early_ = false;         // started before the server's SETTINGS arrived
  std::optional<StreamEnd> end_;  // set as soon as it is known, before the stream is closed
};

class ClientSession {
 public:
  explicit ClientSession(const ClientSessionOptions& options);
  /// Drops all streams without calling their users.
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  /// Processes bytes from the server. Errors are handled by the session: see `is_over`.
  ///
  /// now_ms  of a steady clock, in milliseconds
  void receive(std::string_view bytes, std::uint64_t now_ms);
  /// Appends pending output, until `out` has `bytes_max` bytes or slightly more.
  ///
  /// returns  whether all pending output was appended
  bool send(Buffer& out, std::size_t bytes_max);

  /// Returns how many requests may start now, by the server's limit and ours; 0 if it shuts down.
  [[nodiscard]] std::size_t room() const noexcept;
  /// Returns whether requests may start now or later: there was no GOAWAY, and stream IDs are left.
  [[nodiscard]] bool takes_requests() const noexcept;
  /// Returns the server's announced limit of streams, if any.
  [[nodiscard]] std::optional<std::uint32_t> streams_allowed() const noexcept;
  /// Returns whether the server accepts requests that name a protocol (RFC 8441, section 3).
  [[nodiscard]] bool allows_protocols() const noexcept;
  /// Starts a request. Pre: room() != 0.
  ///
  /// user    called for the response, until `on_closed` or `reset`
  /// fields  pseudo-header fields first; copied
  /// source  RFC 9113, section 8.3.1
  StreamId request(ReplyUser& user, std::span<const OutField> fields, Ends ends);
  /// Content is available again.
  void resume(StreamId id);
  /// Ends a stream with RST_STREAM. Its user is not called again.
  void reset(StreamId id, ErrorCode why);
  /// The user has consumed that much content, so that the window grows again.
  void consume(StreamId id, std::size_t bytes);

  void ping();
  /// Returns how many pings the server has acknowledged.
  [[nodiscard]] std::uint64_t pongs() const noexcept;
  /// Sends GOAWAY to end the connection.
  void shut_down();

  /// Returns the number of requests that have not ended.
  [[nodiscard]] std::size_t open_streams() const noexcept;
  /// Returns whether nothing is left to receive or send.
  [[nodiscard]] bool is_over() const noexcept;
  /// Returns whether further input is ignored because the server has violated the protocol or a
  /// limit.
  [[nodiscard]] bool is_doomed() const noexcept;
  /// Returns the reason, as a sentence. Pre: is_doomed().
  [[nodiscard]] std::string_view flaw() const noexcept;
  /// Returns the error code of the server's GOAWAY, if it was received.
  [[nodiscard]] std::optional<ErrorCode> going_away() const noexcept;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace eider::h2
