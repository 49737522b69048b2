// The output of one WebSocket: messages and control frames.
// Layering: must not judge the speed of the peer, nor end the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/saved_input.h"
#include "eider/core/base/shared_log.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_shared.h"
#include "eider/protocols/http/ws/extension.h"

namespace eider::ws::detail {

/// The timer of a session whose line has no timer, or was destroyed.
class WsAlarm final : public Timer {
 public:
  explicit WsAlarm(Upgraded& session) noexcept : session_(session) {}
  void expire() override { session_.on_time(); }

 private:
  Upgraded& session_;
};

/// Members that few connections need, created on demand.
struct WsRare {
  eider::detail::base::SavedInput saved;  // input that may not be read yet
  std::string reason;
  std::size_t dropped = 0;
  std::unique_ptr<ws::MessageCodec> codec;  // null without compression
  WsForm form = WsForm::plain;
  Pace pace;  // of waiting output
  std::optional<WsAlarm> alarm;
};

class WsOutput {
 public:
  /// All arguments must outlive it, except that forget_line may be called before the end of the
  /// line.
  WsOutput(WsShared& shared, const WsRoute& route, UpgradedLine& line) noexcept
      : shared_(shared), route_(route), line_(&line) {}

  [[nodiscard]] WsShared& shared() const noexcept { return shared_; }
  [[nodiscard]] const WsRoute& route() const noexcept { return route_; }
  [[nodiscard]] const WebSocketOptions& options() const noexcept { return route_.options; }
  [[nodiscard]] bool is_server() const noexcept { return shared_.side() == ws::Side::server; }
  [[nodiscard]] Instant now() const noexcept { return shared_.loop().now(); }
  /// Returns null if the line is closed or destroyed.
  [[nodiscard]] UpgradedLine* line() const noexcept { return line_; }
  UpgradedLine* forget_line() noexcept { return std::exchange(line_, nullptr); }

  /// Enables compression of messages from now on.
  void compress(const ws::DeflateTerms& terms);
  /// Returns the codec, which also decompresses the peer's messages; null if compression was not
  /// negotiated.
  [[nodiscard]] ws::MessageCodec* codec() const noexcept {
    return rare_ == nullptr ? nullptr : rare_->codec.get();
  }
  [[nodiscard]] WsForm form() const noexcept {
    return rare_ == nullptr ? WsForm::plain : rare_->form;
  }

  [[nodiscard]] WsRare& rare();
  /// Returns null until `rare` was called.
  [[nodiscard]] WsRare* rare_if_made() const noexcept { return rare_.get(); }
  /// Schedules session.on_time(), instead of an earlier time.
  void wake_at(Instant due, Upgraded& session);

  // The following functions require a line.
  /// returns  the number of bytes that were written
  std::size_t put(const WsMessage& message);
  void put_frames(std::string_view frames) { line_->output().append(frames); }
  /// Writes frames that other connections also send.
  void put_shared(const eider::detail::base::SharedBytes& frames) { line_->send_shared(frames); }
  /// payload  at most 125 bytes; the rest is cut
  void put_ping(std::string_view payload);
  void put_pong(std::string_view payload) { shared_.writer().pong(line_->output(), payload); }
  void put_close(CloseCode code, std::string_view reason) {
    shared_.writer().close(line_->output(), code, reason);
  }
  /// Sends large output immediately, so that refused output is detected.
  ///
  /// returns  false if the socket refused some now
  bool flush_much();
  /// Returns whether more output waits for the peer than the options allow.
  [[nodiscard]] bool is_slow() const;

  [[nodiscard]] std::size_t waiting_bytes() const noexcept {
    return line_ == nullptr ? 0 : line_->waiting_bytes();
  }

 private:
  WsShared& shared_;
  const WsRoute& route_;
  UpgradedLine* line_;
  std::unique_ptr<WsRare> rare_;
};

}  // namespace eider::ws::detail
