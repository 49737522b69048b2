// What a WsClient is made of: the socket, both directions of the protocol, and the deadlines.
// Must not parse URLs or answers (ws_url.h, ws_opening.h), nor frames (http/ws).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/client/detail/line.h"
#include "eider/client/detail/random_masks.h"
#include "eider/client/detail/ws_url.h"
#include "eider/client/ws_client.h"
#include "eider/http/ws/message_reader.h"
#include "eider/http/ws/message_writer.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/timer.h"

namespace eider::detail {

/// Stays where it is: its reader and its tasks refer to it.
class WsConnection {
 public:
  using Opened = Result<void, WsClientError>;

  /// Pre: on the loop that runs; !fault_of(options).
  /// seal  null: in the clear
  WsConnection(Descriptor fd, WsClientOptions options, std::unique_ptr<Seal> seal);
  WsConnection(const WsConnection&) = delete;
  WsConnection& operator=(const WsConnection&) = delete;

  /// The opening handshake, without a deadline of its own. The first thing called.
  [[nodiscard]] Task<Opened> shake_hands(WsUrl url);

  [[nodiscard]] Task<bool> send(ws::MessageType type, std::string_view bytes);
  [[nodiscard]] Task<std::optional<WsClientMessage>> receive();
  /// Pre: ws::is_sendable(code).
  [[nodiscard]] Task<> close(ws::CloseCode code, std::string reason);

  [[nodiscard]] bool is_open() const noexcept { return !has_ended_ && !is_close_sent_; }
  [[nodiscard]] ws::CloseCode close_code() const noexcept { return code_; }
  [[nodiscard]] std::string_view close_reason() const noexcept { return reason_; }
  [[nodiscard]] std::string_view subprotocol() const noexcept { return subprotocol_; }

 private:
  class Fuse;
  class Vigil;
  class Turn;

  /// Gives the connection up when the close handshake takes too long.
  class CloseTimer final : public Timer {
   public:
    explicit CloseTimer(WsConnection& of) noexcept : of_(of) {}
    void expire() override { of_.end(); }

   private:
    WsConnection& of_;
  };

  [[nodiscard]] Task<bool> gather_answer();
  [[nodiscard]] WsClientError loss() const;
  [[nodiscard]] Task<bool> write(Buffer frame);
  [[nodiscard]] Task<> read_more();
  [[nodiscard]] Task<> heed(ws::Event event);
  [[nodiscard]] Task<> answer_ping(std::string_view payload);
  [[nodiscard]] Task<> wait_for_end();

  [[nodiscard]] Buffer empty_frame() noexcept;
  void keep_spare(Buffer frame) noexcept;
  void put(const Buffer& frame);
  void put_ping();
  void put_close(ws::CloseCode code, std::string_view reason);
  /// Counts one more ping or pong; whether it is one too many.
  [[nodiscard]] bool is_flood() noexcept;
  void note_message() noexcept;
  void note_heard() noexcept;
  void end() noexcept;

  /// When something is to be done about the peer's silence.
  [[nodiscard]] Instant silence_due() const noexcept;
  /// The peer is to be given up.
  [[nodiscard]] bool is_overdue(Instant now) const noexcept;

  WsClientOptions options_;
  ws::MessageLimits limits_;
  Loop& loop_;
  Line tcp_;
  RandomMasks random_;
  ws::MaskSource& masks_;
  ws::MessageWriter writer_;
  ws::MessageReader reader_;
  CloseTimer close_timer_;
  Event ended_;

  Buffer answer_;  // the handshake's, and the first frames
  Buffer scratch_;
  Buffer spare_;
  std::string_view pending_;  // came and was not looked at: within answer_ or the line

  std::string subprotocol_;
  std::string reason_;
  ws::CloseCode code_ = ws::CloseCode::abnormal;
  Instant heard_at_;
  Instant pinged_at_;
  std::optional<Instant> message_since_;
  Instant counting_since_;            // the second that control_frames_ is of
  std::uint32_t control_frames_ = 0;  // since the last message, too
  bool is_pinged_ = false;
  bool is_receiving_ = false;
  bool is_close_sent_ = false;
  bool has_ended_ = false;
};

}  // namespace eider::detail
