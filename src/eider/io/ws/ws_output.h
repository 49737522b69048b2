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

/// The timer of a session whose line has none to lend, or is gone.
class WsAlarm final : public Timer {
 public:
  explicit WsAlarm(Upgraded& session) noexcept : session_(session) {}
  void expire() override { session_.on_time(); }

 private:
  Upgraded& session_;
};

/// What few connections need, made when first needed.
struct WsRare {
  eider::detail::base::SavedInput saved;  // what may not be read yet
  std::string reason;
  std::size_t dropped = 0;
  std::unique_ptr<ws::MessageCodec> codec;  // null without compression
  WsForm form = WsForm::plain;
  Pace pace;  // of output that waits
  std::optional<WsAlarm> alarm;
};

class WsOutput {
 public:
  /// All of them outlive it, save that the line may be forgotten before.
  WsOutput(WsShared& shared, const WsRoute& route, UpgradedLine& line) noexcept
      : shared_(shared), route_(route), line_(&line) {}

  [[nodiscard]] WsShared& shared() const noexcept { return shared_; }
  [[nodiscard]] const WsRoute& route() const noexcept { return route_; }
  [[nodiscard]] const WebSocketOptions& options() const noexcept { return route_.options; }
  [[nodiscard]] bool is_server() const noexcept { return shared_.side() == ws::Side::server; }
  [[nodiscard]] Instant now() const noexcept { return shared_.loop().now(); }
  /// Null when it is closed or gone.
  [[nodiscard]] UpgradedLine* line() const noexcept { return line_; }
  UpgradedLine* forget_line() noexcept { return std::exchange(line_, nullptr); }

  /// From now on messages are compressed.
  void compress(const ws::DeflateTerms& terms);
  /// What decompresses the peer's messages, too; null where that was not agreed on.
  [[nodiscard]] ws::MessageCodec* codec() const noexcept {
    return rare_ == nullptr ? nullptr : rare_->codec.get();
  }
  [[nodiscard]] WsForm form() const noexcept {
    return rare_ == nullptr ? WsForm::plain : rare_->form;
  }

  [[nodiscard]] WsRare& rare();
  /// Null until `rare` was called.
  [[nodiscard]] WsRare* rare_if_made() const noexcept { return rare_.get(); }
  /// Has session.on_time() called then, in place of what was set before.
  void wake_at(Instant due, Upgraded& session);

  // All of these need a line.
  /// returns  how many bytes it became
  std::size_t put(const WsMessage& message);
  void put_frames(std::string_view frames) { line_->output().append(frames); }
  /// The same of frames that other connections send, too.
  void put_shared(const eider::detail::base::SharedBytes& frames) { line_->send_shared(frames); }
  /// payload  what is above 125 bytes is left out
  void put_ping(std::string_view payload);
  void put_pong(std::string_view payload) { shared_.writer().pong(line_->output(), payload); }
  void put_close(CloseCode code, std::string_view reason) {
    shared_.writer().close(line_->output(), code, reason);
  }
  /// Much is sent at once, so that what the socket refuses shows.
  ///
  /// returns  false when some was refused now
  bool flush_much();
  /// More waits for the peer than the options allow.
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
