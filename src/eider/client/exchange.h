// One request and its response as it arrives.
// Layering: must not know the protocol, nor choose what to request or when to retry.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/received.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/core/compress/decompressor.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/method.h"

namespace eider::detail::client {

/// The body of a request.
enum class OutContent : std::uint8_t {
  none,
  sized,     ///< of OutHead::content_length bytes
  streamed,  ///< of unknown length
};

/// The request line and headers to send. All views must outlive the call that sends them.
///
/// origin  for requests to a proxy: precedes the target ("http://example.com"); else empty
/// lines   headers, "Name: value\r\n" each; without those of the connection and framing, and Host
struct OutHead {
  Method method = Method::get;
  std::string_view origin = {};
  std::string_view scheme = "http";
  std::string_view authority = {};
  std::string_view target = "/";
  std::string_view lines = {};
  OutContent content = OutContent::none;
  std::uint64_t content_length = 0;
  bool expects_continue = false;
  /// Whether trailers of the response are accepted (RFC 9110, section 10.1.4).
  bool takes_trailers = false;

  /// Returns the value for Content-Length; nothing if the header is not sent or the length is
  /// unknown.
  [[nodiscard]] std::optional<std::uint64_t> announced_length() const noexcept;
};

/// Appends the request line and headers for HTTP/1.1: line, Host, headers, framing, empty line.
///
/// source  RFC 9112, sections 3 and 6
void write_head(Buffer& out, const OutHead& head);

/// Like a Decompressor, for several codings. The limits apply to the output of each coding.
class ContentDecoder {
 public:
  /// applied  in the order in which they were applied, like Content-Encoding. Pre: not empty
  ContentDecoder(std::span<const ContentCoding> applied, const DecompressionLimits& limits);

  /// Like Decompressor::read.
  [[nodiscard]] Decompressor::Step read(std::string_view in, Buffer& out, std::size_t room_max);

 private:
  /// Passes the output of this decoder to the next one.
  ///
  /// returns  the final status; need_more if there is nothing to read
  [[nodiscard]] Decompressed read_made(Buffer& out, std::size_t room_max);

  Decompressor outer_;
  std::unique_ptr<ContentDecoder> next_;  // null for the coding that was applied first
  Buffer made_;
  std::size_t made_read_ = 0;
  Decompressed outer_status_ = Decompressed::need_more;
  Decompressed next_status_ = Decompressed::need_more;
};

}  // namespace eider::detail::client

namespace eider {
class Loop;
}

namespace eider::detail::client {

/// How to return the body: complete in Received::body, or piece by piece.
enum class Gathering : std::uint8_t { whole, pieces };

/// Called for interim responses except 100 (Continue) (RFC 9110, section 15.2).
class InterimUser {
 public:
  virtual void on_interim(ProtocolVersion version, int status, std::span<const Field> fields) = 0;

 protected:
  ~InterimUser() = default;
};

struct ReceiveTerms {
  Method asked = Method::get;
  Gathering gathering = Gathering::whole;
  h1::ResponseLimits head = {};
  /// Limit for a body that is collected, after decompression.
  std::size_t body_bytes_max = 0;
  /// Decompresses gzip, deflate, br and zstd.
  bool decompresses = true;
  DecompressionLimits decompression = {};
  /// Must outlive the exchange; may be null.
  InterimUser* interims = nullptr;
};

/// The condition that a task waits for: the first three for the sending task, the others for the
/// receiving one. All of them are also met when the response fails.
enum class Condition : std::uint8_t {
  may_send,  ///< 100 Continue has arrived, or the final headers
  room,      ///< no output waits to be sent, or no more of the body is wanted
  refusal,   ///< no more of the body is wanted
  sent,      ///< the body was sent as far as it will be, or the final headers have arrived
  head,      ///< the final headers have arrived
  content,   ///< there is an unread part of the body, or its end
  end,       ///< the response is complete
  change,    ///< any event
};

/// Whether the server has processed a request that failed.
enum class Processed : std::uint8_t {
  perhaps,  ///< unknown: the server may have processed it
  refused,  ///< the server reports that it did not, because of overload
  no,       ///< the server did not read it; another connection can be used
};

/// Whether more of the body follows a piece.
enum class Piece : std::uint8_t { inner, last };

/// A request and its response. They are transferred at the same time: one task may send the body
/// while another one reads the response, because a server may respond while it reads, and may stop
/// reading until the client reads the response.
class ClientExchange : private Timer {
 public:
  class Wait;

  explicit ClientExchange(Loop& loop) noexcept : loop_(loop) {}
  virtual ~ClientExchange();
  ClientExchange(const ClientExchange&) = delete;
  ClientExchange& operator=(const ClientExchange&) = delete;

  // Request.

  /// Starts an exchange whose response is written to `into`, which must outlive it.
  void begin(Received& into, const ReceiveTerms& terms);
  /// Writes the request headers. The body follows, if there is one. Pre: begin().
  virtual void send_head(const OutHead& head) = 0;
  /// Writes a part of the body by copy; Condition::room shows when it was sent.
  virtual void send_content(std::string_view piece, Piece which) = 0;
  /// Ends a body of unknown length, with trailers: "Name: value\r\n" each. Trailers are omitted if
  /// the framing does not support them.
  virtual void end_content(std::string_view trailer_lines) = 0;
  /// Sends the output now instead of at the end of the turn.
  virtual void flush() = 0;
  /// Called after the last of the sending calls.
  void note_sent() noexcept;
  /// Returns whether the rest of the request body is not wanted: the response is complete, or an
  /// error, or will not arrive.
  [[nodiscard]] bool declines_content() const noexcept;
  /// Fails the exchange, as if the connection had been lost, but with this error.
  void give_up(ClientFault why, std::string_view text);

  /// Sets a deadline at which the exchange fails with the text `late`; replaces the last deadline.
  void set_deadline(Instant due, std::string_view late) noexcept;
  void clear_deadline() noexcept { disarm(); }

  // Response.

  /// `co_await exchange.until(Condition::head)`; check the state afterwards. One sending and one
  /// receiving task may wait at the same time.
  [[nodiscard]] Wait until(Condition condition) noexcept;

  [[nodiscard]] bool has_failed() const noexcept { return phase_ == Phase::failed; }
  [[nodiscard]] bool has_head() const noexcept {
    return phase_ == Phase::body || phase_ == Phase::done;
  }
  [[nodiscard]] bool is_done() const noexcept { return phase_ == Phase::done; }
  /// Returns whether any byte of the response has arrived.
  [[nodiscard]] bool has_heard() const noexcept { return has_heard_; }
  /// Pre: has_failed().
  [[nodiscard]] const ClientError& error() const noexcept { return error_; }
  [[nodiscard]] Processed processed() const noexcept { return processed_; }

  /// Returns the received part of the body, decompressed; valid until the next call. Empty if there
  /// is nothing yet, and at the end. Only with Gathering::pieces.
  ///
  /// errors   bad_coding, too_large; for later errors of the connection see has_failed()
  [[nodiscard]] Result<std::string_view, ClientError> take_piece();
  /// Returns whether there are unread pieces; reading may be paused until they are taken.
  [[nodiscard]] bool is_held_up() const noexcept { return !ahead_.empty(); }
  /// Returns whether all pieces were taken. Pre: has_head().
  [[nodiscard]] bool has_taken_all() const noexcept {
    return is_done() && ahead_.empty() && undecoded_.empty() && !may_hold_back_;
  }

 protected:
  enum class Phase : std::uint8_t { idle, head, body, done, failed };
  /// At most this much is read before the receiving task takes it.
  static constexpr std::size_t kAheadBytesMax = 64UL * 1024;

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  void set_phase(Phase phase) noexcept { phase_ = phase; }
  [[nodiscard]] const ReceiveTerms& terms() const noexcept { return terms_; }
  void note_heard() noexcept { has_heard_ = true; }

  // Events of the protocol, in this order.
  void take_interim(ProtocolVersion version, int status, std::span<const Field> fields);
  /// length  of the body, if known
  void take_head(ProtocolVersion version, int status, std::span<const Field> fields,
                 std::string_view bytes, std::optional<std::uint64_t> length);
  void take_data(std::string_view data);
  void end_response(std::string_view trailer_lines);
  /// Ends the response with an error.
  void fail_with(ClientFault fault, std::string_view text);
  void fail_unprocessed(Processed how, std::string_view text);
  void lose(std::string_view text) { fail_with(ClientFault::connection_lost, text); }

  /// Wakes waiting tasks, which check their condition.
  void tell() noexcept;
  /// Frees the memory of the response, or keeps it for the next one.
  void forget_response() noexcept;

  // Implemented by the protocol.
  virtual void on_begin() = 0;
  /// Called when this number of bytes waits to be taken.
  virtual void on_ahead(std::size_t bytes) = 0;
  /// Called when this number of bytes was taken.
  virtual void on_taken(std::size_t bytes) = 0;
  /// Called when the exchange has failed: nothing more is needed from it.
  virtual void drop(ClientFault why) noexcept = 0;
  [[nodiscard]] virtual bool has_sent_all() const noexcept = 0;

 private:
  /// Limit for the headers of all interim responses to a request, with `kInterimBytes` for each:
  /// about 1000 without headers. More are treated as an attack.
  static constexpr std::size_t kInterimsBytesMax = 128UL * 1024;
  static constexpr std::size_t kInterimBytes = 128;

  /// One waiting task. The event is set while no task waits, so that no condition is checked
  /// needlessly.
  struct Waiting {
    Waiting() noexcept { happened.set(); }

    AsyncEvent happened;
    Condition awaited = Condition::end;
  };

  [[nodiscard]] Waiting& waiting_for(Condition condition) noexcept {
    return condition <= Condition::refusal ? sending_ : receiving_;
  }
  void expire() override;
  void begin_whole(std::uint64_t bytes);
  void choose_decoder();
  void gather(std::string_view data);
  [[nodiscard]] static std::optional<ClientError> decoding_error(Decompressed status);
  [[nodiscard]] Result<std::string_view, ClientError> decode_piece();
  void fail_too_large();
  [[nodiscard]] bool holds(Condition condition) const noexcept;

  Loop& loop_;
  Received* into_ = nullptr;
  ReceiveTerms terms_;
  std::optional<ContentDecoder> decoder_;
  Decompressed decoded_status_ = Decompressed::done;

  // Gathering::pieces.
  Buffer ahead_;
  Buffer given_;
  Buffer made_;
  std::string_view undecoded_;  // a view of given_
  bool may_hold_back_ = false;  // the decoder has more output than there was room for

  Waiting sending_;
  Waiting receiving_;
  ClientError error_{ClientFault::connection_lost, {}};
  std::string_view late_;
  std::size_t interims_bytes_ = 0;
  Phase phase_ = Phase::idle;
  Processed processed_ = Processed::perhaps;
  bool may_send_ = false;
  bool has_sent_ = false;
  bool has_heard_ = false;
};

class ClientExchange::Wait {
 public:
  Wait(ClientExchange& of, Condition condition) noexcept
      : of_(of), condition_(condition), happening_(of.waiting_for(condition).happened.wait()) {}
  bool await_ready() const noexcept { return of_.holds(condition_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    Waiting& mine = of_.waiting_for(condition_);
    mine.awaited = condition_;
    mine.happened.reset();
    happening_.await_suspend(waiting);
  }
  void await_resume() const noexcept {}

 private:
  ClientExchange& of_;
  Condition condition_;
  AsyncEvent::Awaiter happening_;
};

inline ClientExchange::Wait ClientExchange::until(Condition condition) noexcept {
  return {*this, condition};
}

/// Clears the buffer, and frees it if it is large.
void forget(Buffer& buffer) noexcept;

}  // namespace eider::detail::client
