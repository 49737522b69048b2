// The response to one HTTP/2 request, sent over its stream.
// Layering: must not write to the socket: the session reads it when the client can receive more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/protocols/http/refusal.h"
#include "eider/protocols/http/response.h"
#include "eider/server/http2/send_queue.h"
#include "eider/server/http2/tunnel_h2.h"
#include "eider/server/transport.h"

namespace eider::detail::http2 {

class StreamH2;

class ResponseH2 final : public server::Transport {
 public:
  /// stream  outlives it
  explicit ResponseH2(StreamH2& stream) noexcept : stream_(stream) {}

  /// Forgets all but a tunnel, which has to end ahead of the exchange. Small memory is kept.
  void reset() noexcept;
  /// Nothing more is sent of it.
  void forget_content() noexcept;

  // What the stream does.
  /// For a response that is made at once, or that outlives its exchange.
  [[nodiscard]] Response& response() noexcept { return response_; }
  /// A whole response, of bytes or a file.
  void send(Response& response) override;
  void refuse(const RequestRefusal& refusal);
  /// Takes what is still to leave over from a response that is about to be forgotten.
  void keep(Response& from);
  /// What was produced has been handed to the session.
  void note_sent_on() noexcept;
  /// Looks whether the client reads too slowly.
  void check(Instant now);

  // What the session asks: see h2::StreamUser.
  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) noexcept;
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_; }

  // Another protocol on the stream.
  /// The request asks for one.
  void make_tunnel();
  /// Null where no request has asked for one, or where it has been answered otherwise.
  [[nodiscard]] TunnelH2* tunnel() noexcept { return tunnel_.get(); }
  [[nodiscard]] bool is_tunnelling() const noexcept { return stage_ == Stage::tunnelling; }
  /// Hands what the protocol has written to the queue.
  void uncork();
  /// The protocol has closed its line.
  void on_tunnel_closed();
  void end_tunnel() noexcept { tunnel_.reset(); }

  /// All of it is known: it was sent, or is waiting to be.
  [[nodiscard]] bool is_complete() const noexcept { return stage_ == Stage::complete; }
  /// As it was sent; 0: not yet.
  [[nodiscard]] int status() const noexcept { return status_; }
  /// Content that the session has taken.
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  enum class Stage : std::uint8_t {
    open,        // it is being made
    tunnelling,  // another protocol is spoken
    complete,
  };

  // What the exchange does.
  void upgrade(Response& response) override;
  void send_head(const Response& response, std::optional<std::uint64_t> length,
                 server::Follows follows) override;
  std::size_t put(std::string_view content) override;
  bool flush() override;
  [[nodiscard]] bool is_waiting() const noexcept override { return is_stalled_; }
  void end(std::string_view trailer_lines) override;
  void cut() override;
  void on_content_taken() override;
  [[nodiscard]] bool may_send() const noexcept override;
  void watch(Instant due) noexcept override;
  void settle() override;
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  void inform(int status, std::string_view field_lines) override;

  void hold(std::size_t bytes) noexcept;
  void begin_tunnel(Response& response);
  void submit_head(const Response& response, std::optional<std::uint64_t> length, h2::Ends ends);
  [[nodiscard]] bool is_blocked() const noexcept;

  StreamH2& stream_;
  Stage stage_ = Stage::open;
  bool is_stalled_ = false;  // what is produced waits for the client
  int status_ = 0;
  Response response_;
  SendQueue queue_;
  std::size_t held_bytes_ = 0;  // memory of the response, as the connection counts it
  std::unique_ptr<TunnelH2> tunnel_;
  std::string trailers_;
  std::uint64_t sent_bytes_ = 0;
  // Of a reader that is blocked:
  Instant due_ = Instant::max();
  std::uint64_t progress_ = 0;             // when the span that ends at due_ began
  std::uint64_t connection_progress_ = 0;  // likewise
};

}  // namespace eider::detail::http2
