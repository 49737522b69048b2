// One HTTP/1.1 connection of the client: writes requests, judges what comes back, keeps deadlines.
// Must not choose what to ask for, nor when to ask again.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/base/result.h"
#include "eider/client/client_error.h"
#include "eider/client/detail/received.h"
#include "eider/compress/decompressor.h"
#include "eider/http/h1/response_body.h"
#include "eider/http/h1/response_reader.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/time.h"
#include "eider/runtime/timer.h"

namespace eider::detail {

/// What is to be done with the content: all of it into Received::body, or piece by piece.
enum class Gathering : std::uint8_t { whole, pieces };

struct ReceiveTerms {
  Method asked = Method::get;
  Gathering gathering = Gathering::whole;
  h1::ResponseLimits head = {};
  /// Of content, when it is gathered whole: after decompression.
  std::size_t body_bytes_max = 0;
  /// gzip, deflate, br and zstd are undone.
  bool decompresses = true;
  DecompressionLimits decompression = {};
};

/// What a task may wait for. Each comes also with the answer's failure.
enum class News : std::uint8_t {
  secured,   ///< the encryption is agreed on
  may_send,  ///< 100 Continue, or the final head
  head,      ///< the final head
  content,   ///< some content that was not taken, or its end
  end,       ///< the answer is whole
  room,      ///< nothing waits for the socket, or the final head has come
};

class H1Connection final : private StreamOwner, private Timer {
 public:
  class Wait;

  /// reader  of the loop's; outlives the connection
  /// seal    null: in the clear; else wait for News::secured
  H1Connection(Loop& loop, h1::ResponseReader& reader, Descriptor fd, std::unique_ptr<Seal> seal);
  ~H1Connection();
  H1Connection(const H1Connection&) = delete;
  H1Connection& operator=(const H1Connection&) = delete;

  /// Nothing is under way, and nothing has come that was not asked for.
  [[nodiscard]] bool is_idle() const noexcept { return phase_ == Phase::idle && stream_.is_open(); }
  [[nodiscard]] Instant idle_since() const noexcept { return idle_since_; }

  /// The next answer goes to `into`, which outlives the exchange. Pre: is_idle().
  void begin(Received& into, const ReceiveTerms& terms);
  /// The exchange is over. What is not at its end, or must not be used again, is closed.
  void finish() noexcept;

  /// The connection is given up at `due` with `late`, a sentence; a new deadline replaces it.
  void set_deadline(Instant due, std::string_view late) noexcept;

  void clear_deadline() noexcept { disarm(); }

  /// It is not to be used again behind this exchange.
  void spoil() noexcept { is_spoilt_ = true; }

  /// Where the request is written. Pre: !has_failed().
  [[nodiscard]] Buffer& output() { return stream_.output(); }
  /// What is corked is sent; waits for News::room show when all has left.
  void flush();

  /// `co_await connection.until(News::head)`; then look what there is. One waits at a time.
  [[nodiscard]] Wait until(News news) noexcept;

  [[nodiscard]] bool has_failed() const noexcept { return phase_ == Phase::failed; }
  [[nodiscard]] bool has_head() const noexcept {
    return phase_ == Phase::body || phase_ == Phase::done;
  }
  [[nodiscard]] bool is_done() const noexcept { return phase_ == Phase::done; }
  /// At least one byte of the answer has come.
  [[nodiscard]] bool has_heard() const noexcept { return has_heard_; }
  /// Pre: has_failed().
  [[nodiscard]] const ClientError& error() const noexcept { return error_; }

  /// What has come of the content, decompressed; valid until the next call. Empty when there is
  /// nothing yet, and at the end. Only with Gathering::pieces.
  ///
  /// errors   bad_coding, too_large; later ones of the connection by has_failed()
  [[nodiscard]] Result<std::string_view, ClientError> take_piece();
  /// All pieces have been taken. Pre: has_head().
  [[nodiscard]] bool has_taken_all() const noexcept {
    return is_done() && ahead_.empty() && undecoded_.empty() && !may_hold_back_;
  }

 private:
  enum class Phase : std::uint8_t { securing, idle, head, body, done, failed };
  /// More than this is not read ahead of who takes the pieces.
  static constexpr std::size_t kAheadBytesMax = 64UL * 1024;
  /// More interim answers than these are an attack.
  static constexpr unsigned kInterimMax = 16;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_secured() override;
  void on_broken(NetError error) override;
  void expire() override;

  [[nodiscard]] std::string_view read_heads(std::string_view in);
  void keep_pending(std::string_view rest);
  void take_head(const h1::ReplyHead& head);
  void take_interim(int status);
  void begin_whole(std::uint64_t bytes);
  void choose_decoder();
  void read_body(std::string_view in);
  void take_data(std::string_view data);
  void gather(std::string_view data);
  void end_body();
  [[nodiscard]] static std::optional<ClientError> decoding_error(Decompressed status);
  [[nodiscard]] Result<std::string_view, ClientError> decode_piece();
  void fail_too_large();
  void fail_with(ClientFault fault, std::string_view text);
  void lose(std::string_view text);
  void tell() noexcept;
  [[nodiscard]] bool holds(News news) const noexcept;

  std::string why_insecure_;  // outlives the stream's seal
  Stream stream_;
  h1::ResponseReader& reader_;
  Received* into_ = nullptr;
  ReceiveTerms terms_;
  h1::ResponseBodyReader body_;
  h1::HeadSearch search_;
  Buffer pending_;  // of a head that is not whole
  std::optional<Decompressor> decoder_;
  Decompressed decoded_status_ = Decompressed::done;

  // Gathering::pieces.
  Buffer ahead_;
  Buffer given_;
  Buffer made_;
  std::string_view undecoded_;  // of given_
  bool may_hold_back_ = false;  // the decoder has more than there was room for

  Event happened_;  // what is awaited
  News awaited_ = News::end;
  Instant idle_since_;
  ClientError error_{ClientFault::connection_lost, {}};
  std::string_view late_;
  unsigned interims_ = 0;
  Phase phase_ = Phase::idle;
  bool keeps_alive_ = false;
  bool may_send_ = false;
  bool has_heard_ = false;
  bool is_spoilt_ = false;
};

class H1Connection::Wait {
 public:
  Wait(H1Connection& of, News news) noexcept
      : of_(of), news_(news), happening_(of.happened_.wait()) {}
  bool await_ready() const noexcept { return of_.holds(news_); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    of_.awaited_ = news_;
    of_.happened_.reset();
    happening_.await_suspend(waiting);
  }
  void await_resume() const noexcept {}

 private:
  H1Connection& of_;
  News news_;
  Event::Awaiter happening_;
};

inline H1Connection::Wait H1Connection::until(News news) noexcept {
  return {*this, news};
}

}  // namespace eider::detail
