// The output of one WebSocket: messages and control frames.
// Layering: must not judge the speed of the peer, nor end the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "eider/core/base/shared_log.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_shared.h"
#include "eider/protocols/http/ws/extension.h"

namespace eider::ws::detail {

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
  [[nodiscard]] ws::MessageCodec* codec() const noexcept { return codec_.get(); }
  [[nodiscard]] WsForm form() const noexcept { return form_; }

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

  /// So much was put since others had their turn that they are to have it now.
  [[nodiscard]] bool is_turn_over() const noexcept;
  void begin_turn() noexcept { turn_bytes_ = 0; }

 private:
  WsShared& shared_;
  const WsRoute& route_;
  UpgradedLine* line_;
  std::unique_ptr<ws::MessageCodec> codec_;
  std::uint32_t turn_bytes_ = 0;
  WsForm form_ = WsForm::plain;
};

}  // namespace eider::ws::detail
