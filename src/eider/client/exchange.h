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

/// How much content follows the head.
enum class OutContent : std::uint8_t {
  none,
  sized,     ///< as much as OutHead::content_length says
  streamed,  ///< nobody knows before its end
};

/// All views outlive the call that sends it.
///
/// origin  a proxy is asked for the whole URL ("http://example.com"); empty: for the target alone
/// lines   fields as they stand on the wire, "Name: value\r\n" each: none of the connection, of the
///         framing, nor Host
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
  /// Trailers of the response are welcome (RFC 9110, section 10.1.4).
  bool takes_trailers = false;

  /// What Content-Length says; nothing where it has no place, or is not known.
  [[nodiscard]] std::optional<std::uint64_t> announced_length() const noexcept;
};

/// Appends it as HTTP/1.1 has it: line, Host, fields, framing, empty line.
///
/// source  RFC 9112, sections 3 and 6
void write_head(Buffer& out, const OutHead& head);

/// As a Decompressor, for several codings. The limits apply to what each coding makes.
class ContentDecoder {
 public:
  /// applied  in the order in which they were applied, which is that of Content-Encoding.
  ///          Pre: not empty
  ContentDecoder(std::span<const ContentCoding> applied, const DecompressionLimits& limits);

  /// As Decompressor::read.
  [[nodiscard]] Decompressor::Step read(std::string_view in, Buffer& out, std::size_t room_max);

 private:
  /// Has the next decoder read what this one has made.
  ///
  /// returns  the status with which reading ends here, need_more if there is nothing to read
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

/// What is to be done with the content: all of it into Received::body, or piece by piece.
enum class Gathering : std::uint8_t { whole, pieces };

/// Told of interim responses but 100 (Continue) (RFC 9110, section 15.2).
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
  /// Of content, when it is gathered whole: after decompression.
  std::size_t body_bytes_max = 0;
  /// gzip, deflate, br and zstd are undone.
  bool decompresses = true;
  DecompressionLimits decompression = {};
  /// Outlives the exchange; may be null.
  InterimUser* interims = nullptr;
};

/// What tasks may wait for: one that sends for the first three, one that receives for the others.
/// Each comes also with the response's failure.
enum class Condition : std::uint8_t {
  may_send,  ///< 100 Continue, or the final head
  room,      ///< no content waits to be sent, or no more of it is wanted
  refusal,   ///< no more content is wanted
  sent,      ///< all content was given that will be, or the final head has come
  head,      ///< the final head
  content,   ///< some content that was not taken, or its end
  end,       ///< the response is whole
  change,    ///< whatever comes next
};

/// What became of a request that has failed, at the other end.
enum class Processed : std::uint8_t {
  perhaps,  ///< the server may have acted on it
  refused,  ///< it says that it has not, since it has too much to do
  no,       ///< it was never looked at, and will be by another connection
};

/// Whether more content follows a piece.
enum class Piece : std::uint8_t { inner, last };

/// A request and its response go their ways side by side: one task may send content while another
/// one takes what comes, for a server may answer as it reads, and read no more when nobody takes
/// that.
class ClientExchange : private Timer {
 public:
  class Wait;

  explicit ClientExchange(Loop& loop) noexcept : loop_(loop) {}
  virtual ~ClientExchange();
  ClientExchange(const ClientExchange&) = delete;
  ClientExchange& operator=(const ClientExchange&) = delete;

  // The request.

  /// The next response goes to `into`, which outlives the exchange.
  void begin(Received& into, const ReceiveTerms& terms);
  /// Writes the head. Content follows unless it has none. Pre: begin().
  virtual void send_head(const OutHead& head) = 0;
  /// Writes content behind it, which is copied; wait for Condition::room show when it has left.
  virtual void send_content(std::string_view piece, Piece which) = 0;
  /// Ends content that may be of any length, with fields behind it: "Name: value\r\n" each. They
  /// are left out where the framing has no room for them.
  virtual void end_content(std::string_view trailer_lines) = 0;
  /// What is written is sent now, not at the end of the turn.
  virtual void flush() = 0;
  /// Behind the last call of those that send.
  void note_sent() noexcept;
  /// Nobody wants the rest of the content: the response is whole, or an error, or there will be
  /// none.
  [[nodiscard]] bool declines_content() const noexcept;
  /// It is of no use any more: as if the connection had been lost, but for this reason.
  void give_up(ClientFault why, std::string_view text);

  /// It is given up at `due` with `late`, a sentence; a new deadline replaces it.
  void set_deadline(Instant due, std::string_view late) noexcept;
  void clear_deadline() noexcept { disarm(); }

  // The response.

  /// `co_await exchange.until(Condition::head)`; then look what there is. One that sends and one
  /// that receives may wait at a time.
  [[nodiscard]] Wait until(Condition condition) noexcept;

  [[nodiscard]] bool has_failed() const noexcept { return phase_ == Phase::failed; }
  [[nodiscard]] bool has_head() const noexcept {
    return phase_ == Phase::body || phase_ == Phase::done;
  }
  [[nodiscard]] bool is_done() const noexcept { return phase_ == Phase::done; }
  /// At least one byte of the response has come.
  [[nodiscard]] bool has_heard() const noexcept { return has_heard_; }
  /// Pre: has_failed().
  [[nodiscard]] const ClientError& error() const noexcept { return error_; }
  [[nodiscard]] Processed processed() const noexcept { return processed_; }

  /// What has come of the content, decompressed; valid until the next call. Empty when there is
  /// nothing yet, and at the end. Only with Gathering::pieces.
  ///
  /// errors   bad_coding, too_large; later ones of the connection by has_failed()
  [[nodiscard]] Result<std::string_view, ClientError> take_piece();
  /// Pieces have come that were not taken, and no more may come until they are.
  [[nodiscard]] bool is_held_up() const noexcept { return !ahead_.empty(); }
  /// All pieces have been taken. Pre: has_head().
  [[nodiscard]] bool has_taken_all() const noexcept {
    return is_done() && ahead_.empty() && undecoded_.empty() && !may_hold_back_;
  }

 protected:
  enum class Phase : std::uint8_t { idle, head, body, done, failed };
  /// More than this is not read ahead of the task that takes the pieces.
  static constexpr std::size_t kAheadBytesMax = 64UL * 1024;

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  void set_phase(Phase phase) noexcept { phase_ = phase; }
  [[nodiscard]] const ReceiveTerms& terms() const noexcept { return terms_; }
  void note_heard() noexcept { has_heard_ = true; }

  // What comes, in this order.
  void take_interim(ProtocolVersion version, int status, std::span<const Field> fields);
  /// length  of content that follows, as far as it is known
  void take_head(ProtocolVersion version, int status, std::span<const Field> fields,
                 std::string_view bytes, std::optional<std::uint64_t> length);
  void take_data(std::string_view data);
  void end_response(std::string_view trailer_lines);
  /// In place of the rest.
  void fail_with(ClientFault fault, std::string_view text);
  void fail_unprocessed(Processed how, std::string_view text);
  void lose(std::string_view text) { fail_with(ClientFault::connection_lost, text); }

  /// Tasks that wait find out.
  void tell() noexcept;
  /// Memory of the response is given back, or kept for the next one.
  void forget_response() noexcept;

  // What the protocol does about it.
  virtual void on_begin() = 0;
  /// So much waits to be taken, in pieces.
  virtual void on_ahead(std::size_t bytes) = 0;
  /// So much of it has been taken.
  virtual void on_taken(std::size_t bytes) = 0;
  /// The exchange has failed: nothing more is wanted of it.
  virtual void drop(ClientFault why) noexcept = 0;
  [[nodiscard]] virtual bool has_sent_all() const noexcept = 0;

 private:
  /// More interim responses than these are an attack.
  static constexpr unsigned kInterimMax = 16;

  /// Of one that waits; set as long as none does, so that nothing is asked in vain.
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
  std::string_view undecoded_;  // of given_
  bool may_hold_back_ = false;  // the decoder has more than there was room for

  Waiting sending_;
  Waiting receiving_;
  ClientError error_{ClientFault::connection_lost, {}};
  std::string_view late_;
  unsigned interims_ = 0;
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

/// Forgets the bytes, and much memory.
void forget(Buffer& buffer) noexcept;

}  // namespace eider::detail::client
