// A WebSocket connection (RFC 6455) on which each message waits for a response message.
// Layering: must not decide what is sent when; its user does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cli/bench/connection.h"
#include "cli/bench/sent_ring.h"
#include "cli/bench/ws_terms.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::bench {

class WsConnection final : public Connection {
 public:
  /// All arguments outlive it.
  WsConnection(ConnectionUser& user, WsTerms& terms)
      : Connection(user),
        terms_(terms),
        reader_(ws::Side::client, terms.limits),
        sent_(terms.pipeline) {}

  void send(Sent next) override;
  /// As with HTTP/1.1: nothing is read while the socket is full, so only a few large messages wait.
  [[nodiscard]] bool has_room() const noexcept override {
    return sent_.size() == 0 || (!sent_.is_full() && waiting_bytes_ < kWaitingBytesMax);
  }
  [[nodiscard]] std::size_t waiting() const noexcept override { return sent_.size(); }
  [[nodiscard]] Instant waiting_since() const noexcept override { return sent_.front().sent; }
  /// Sends a close frame first, without waiting for the response.
  void close() override;

 private:
  static constexpr std::size_t kWaitingBytesMax = std::size_t{64} << 10U;

  /// Sends the handshake.
  Begun begin() override;
  Sent take_waiting() noexcept override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override;

  void read_opening(std::string_view bytes);
  void read_frames(std::string_view bytes);
  void take(const ws::Event& event);
  void take_piece(const ws::Event& event);
  void compare(const ws::Event& event);
  void end_response();
  void take_close(const ws::Event& event);
  void say_close(ws::CloseCode code, std::string_view reason);
  [[nodiscard]] std::string_view message_of(const Sent& sent) const noexcept;

  WsTerms& terms_;
  ws::MessageReader reader_;
  SentRing sent_;
  std::size_t waiting_bytes_ = 0;  // of outstanding messages
  detail::client::WsKey key_{};
  std::string opening_;             // received part of the server's handshake
  std::size_t answered_bytes_ = 0;  // of the current response
  bool is_opening_ = true;
  bool is_alike_ = true;  // so far, the current response equals its message
};

}  // namespace eider::bench
