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
  /// stream  must outlive this
  explicit ResponseH2(StreamH2& stream) noexcept : stream_(stream) {}

  /// Resets everything except a tunnel, which must end before the exchange. Small buffers are kept.
  void reset() noexcept;
  /// Stops sending, and frees the body.
  void forget_content() noexcept;

  // Calls from the stream.
  /// For an immediate response, or one that outlives its exchange.
  [[nodiscard]] Response& response() noexcept { return response_; }
  /// Sends a complete response, from memory or a file.
  void send(Response& response) override;
  void refuse(const RequestRefusal& refusal);
  /// Takes over the unsent rest of a response that is about to be reset.
  void keep(Response& from);
  /// Called when the produced bytes were passed to the session.
  void note_sent_on() noexcept;
  /// Checks the client's reading rate.
  void check(Instant now);

  // Calls from the session: see h2::StreamUser.
  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) noexcept;
  [[nodiscard]] bool put(char* to, std::size_t bytes) noexcept;
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_; }

  // Another protocol on the stream.
  /// Called if the request is an extended CONNECT.
  void make_tunnel();
  /// Starts the other protocol. Pre: is_tunnelling()
  ///
  /// response  of the exchange
  void begin_tunnel(Response& response);
  /// Null if the request is not an extended CONNECT, or has another response.
  [[nodiscard]] TunnelH2* tunnel() noexcept { return tunnel_.get(); }
  [[nodiscard]] bool is_tunnelling() const noexcept { return stage_ == Stage::tunnelling; }
  /// Moves the protocol's output to the queue.
  void uncork();
  /// Called when the protocol has closed its line.
  void on_tunnel_closed();
  void end_tunnel() noexcept { tunnel_.reset(); }

  /// Returns whether the complete response was sent or waits to be sent.
  [[nodiscard]] bool is_complete() const noexcept { return stage_ == Stage::complete; }
  /// Returns whether the exchange has ended the response, or has switched to another protocol.
  [[nodiscard]] bool has_ended() const noexcept { return stage_ != Stage::open; }
  /// Returns the status that was sent; 0: none yet.
  [[nodiscard]] int status() const noexcept { return status_; }
  /// Returns the number of body bytes that the session has read.
  [[nodiscard]] std::uint64_t sent_bytes() const noexcept { return sent_bytes_; }

 private:
  enum class Stage : std::uint8_t {
    open,        // the response is being made
    tunnelling,  // another protocol uses the stream
    complete,
  };

  // Calls from the exchange.
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
  void submit_head(const Response& response, std::optional<std::uint64_t> length, h2::Ends ends);
  [[nodiscard]] bool is_blocked() const noexcept;

  StreamH2& stream_;
  Stage stage_ = Stage::open;
  bool is_stalled_ = false;  // produced bytes wait for the client
  int status_ = 0;
  Response response_;
  SendQueue queue_;
  std::size_t held_bytes_ = 0;  // memory of the response, as counted by the connection
  std::unique_ptr<TunnelH2> tunnel_;
  std::string trailers_;
  std::uint64_t sent_bytes_ = 0;
  // For a reader that blocks output:
  Instant due_ = Instant::max();
  std::uint64_t progress_ = 0;             // at the start of the interval that ends at due_
  std::uint64_t connection_progress_ = 0;  // the same, for the connection
};

}  // namespace eider::detail::http2
