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
  /// Requests under way at once, however many the server allows.
  std::uint32_t streams_max = 256;
  /// The same until the server has said what it allows.
  std::uint32_t early_streams_max = 100;
  /// Content of one response that a server may send before any of it is taken: 65535 or more.
  std::uint32_t stream_window_bytes = 256 * 1024;
  /// The same of all responses together: 65535 or more.
  std::uint32_t connection_window_bytes = 4 * 1024 * 1024;
};

/// How a stream came to its end.
enum class StreamFate : std::uint8_t {
  /// The response is whole, and the request, too.
  whole,
  /// The server has taken it back: `code` says why.
  reset,
  /// The same, and it says that it has not looked at it (REFUSED_STREAM).
  refused,
  /// It was not looked at because the server goes away (GOAWAY), or it never left, or it was
  /// refused and had been sent before the server could say how many requests it takes.
  unseen,
  /// What came is no response.
  malformed,
  /// The response's head exceeds a limit.
  too_large,
};

/// text  a sentence where it is malformed or too large
struct StreamEnd {
  StreamFate fate;
  ErrorCode code;
  std::string_view text;
};

/// What waits for one response. Calls come from within ClientSession::receive and `send`, where
/// `reset`, `consume` and `resume` may be called, and nothing else.
class ReplyUser {
 public:
  /// 100 to 199; valid during the call.
  virtual void on_interim(const ReplyHead& head) = 0;
  /// The final head; valid during the call.
  virtual void on_head(const ReplyHead& head) = 0;
  /// Content, at least one byte; counted against the stream's window until `consume`.
  virtual void on_data(std::string_view bytes) = 0;
  /// The response is whole, and as long as its head had said.
  ///
  /// trailer_lines  "name: value\r\n" each; valid during the call
  virtual void on_end(std::string_view trailer_lines) = 0;
  /// The stream is no more; the last call.
  virtual void on_closed(const StreamEnd& end) = 0;

  /// What can be sent of the request's content: nothing that is not the last means "later", until
  /// ClientSession::resume.
  [[nodiscard]] virtual Ready ready(std::size_t bytes_max) noexcept = 0;
  /// Copies the next `bytes` of it.
  virtual void put(char* to, std::size_t bytes) noexcept = 0;
  /// Fields behind the content, "Name: value\r\n" each; asked with the last of it.
  [[nodiscard]] virtual std::string_view trailer_lines() const noexcept { return {}; }

 protected:
  ~ReplyUser() = default;

 private:
  friend class ClientSession;
  bool has_head_ = false;
  bool has_ended_ = false;
  bool is_early_ = false;         // begun before the server's SETTINGS have come
  std::optional<StreamEnd> end_;  // what is known of it before the stream is closed
};

class ClientSession {
 public:
  explicit ClientSession(const ClientSessionOptions& options);
  /// Forgets all streams without a call.
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  /// Takes bytes from the server. Errors are answered by themselves: see `is_over`.
  ///
  /// now_ms  of a steady clock, in milliseconds
  void receive(std::string_view bytes, std::uint64_t now_ms);
  /// Appends what is to be sent, until `out` holds `bytes_max` or a little more.
  ///
  /// returns  whether that was all there is for now
  bool send(Buffer& out, std::size_t bytes_max);

  /// How many requests may begin now: by the server's limit and ours; 0 when it goes away.
  [[nodiscard]] std::size_t room() const noexcept;
  /// Requests may begin now or later: no GOAWAY has come, and there are numbers left.
  [[nodiscard]] bool takes_requests() const noexcept;
  /// What the server has said that it allows, if it has.
  [[nodiscard]] std::optional<std::uint32_t> streams_allowed() const noexcept;
  /// The server takes requests that name a protocol (RFC 8441, section 3).
  [[nodiscard]] bool allows_protocols() const noexcept;
  /// Begins a request. Pre: room() != 0.
  ///
  /// user    told of the response, until `on_closed` or `reset`
  /// fields  pseudo-header fields first; copied
  /// source  RFC 9113, section 8.3.1
  StreamId request(ReplyUser& user, std::span<const OutField> fields, Ends ends);
  /// There is content again.
  void resume(StreamId id);
  /// Ends a stream by RST_STREAM. Its user is not called again.
  void reset(StreamId id, ErrorCode why);
  /// The user has made room for that much content.
  void consume(StreamId id, std::size_t bytes);

  void ping();
  /// How many have been answered.
  [[nodiscard]] std::uint64_t pongs() const noexcept;
  /// GOAWAY that says good-bye.
  void shut_down();

  /// Requests that have not come to their end.
  [[nodiscard]] std::size_t open_streams() const noexcept;
  /// Nothing further is to be received or sent.
  [[nodiscard]] bool is_over() const noexcept;
  /// Nothing that is received matters any more: the server has broken the protocol or a limit.
  [[nodiscard]] bool is_doomed() const noexcept;
  /// Why, in a sentence. Pre: is_doomed().
  [[nodiscard]] std::string_view flaw() const noexcept;
  /// What the server's GOAWAY said, if one has come.
  [[nodiscard]] std::optional<ErrorCode> going_away() const noexcept;

 private:
  struct State;

  std::unique_ptr<State> state_;
};

}  // namespace eider::h2
