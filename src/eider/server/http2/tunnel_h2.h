// A stream of an HTTP/2 connection that another protocol uses (RFC 8441).
// Layering: must not write to the socket: its bytes are sent when the client can receive more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/deferred.h"
#include "eider/server/http2/send_queue.h"
#include "eider/server/upgrade.h"

namespace eider::detail::http2 {

class ConnectionH2;
class StreamH2;

/// Created with an extended CONNECT; has no protocol until the response has started.
class TunnelH2 final : public UpgradedLine, private Deferred {
 public:
  /// connection, stream, queue  must outlive this
  TunnelH2(ConnectionH2& connection, StreamH2& stream, SendQueue& queue) noexcept
      : connection_(connection), stream_(stream), queue_(queue) {}

  /// Pre: the headers of the response were submitted.
  void begin(Upgrade& upgrade);

  // Calls from the stream.
  /// Returns whether the client may send as much again; otherwise ReceiverH2::give_credit is called
  /// later.
  [[nodiscard]] bool take(std::string_view bytes);
  void take_end();
  /// Called when the stream is reset: there is no further input or output.
  void break_off();
  void stop();
  /// Called when all uncorked output was sent.
  void note_sent() noexcept;
  /// Called when END_STREAM was sent.
  void note_end_sent() noexcept { is_end_sent_ = true; }

  /// Moves the output to the queue.
  void uncork();
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  [[nodiscard]] bool is_end_sent() const noexcept { return is_end_sent_; }

  // For the protocol.
  [[nodiscard]] Loop& loop() noexcept override;
  [[nodiscard]] Buffer& output() override;
  bool flush() override;
  [[nodiscard]] std::size_t waiting_bytes() const noexcept override;
  void pause_reading() noexcept override { is_paused_ = true; }
  void resume_reading() override;
  [[nodiscard]] bool is_shared() const noexcept override { return true; }
  void end() override;
  void reset() noexcept override;
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  [[nodiscard]] Duration comes_back_in() noexcept override;
  void close() noexcept override;

 private:
  void run() override;
  void deliver();

  ConnectionH2& connection_;
  StreamH2& stream_;
  SendQueue& queue_;
  UpgradedPtr protocol_;
  Buffer corked_;
  Buffer held_;  // received, but cannot be passed on yet: at most the stream's window
  std::uint64_t uncorked_at_ = 0;
  bool is_paused_ = false;
  bool is_end_held_ = false;
  bool owes_drained_ = false;
  bool is_end_sent_ = false;
  bool is_reset_ = false;
  bool is_closed_ = false;
  bool is_stopping_ = false;
};

}  // namespace eider::detail::http2
