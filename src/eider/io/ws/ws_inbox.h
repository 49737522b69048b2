// Messages that have arrived for a busy handler, in two buffers.
// Layering: must not limit its messages, and exists only while messages are waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "eider/core/base/buffer.h"
#include "eider/io/ws/websocket.h"

namespace eider::ws::detail {

class WsInbox {
 public:
  /// Copies the message behind the others.
  void add(const WsMessage& message);
  /// The oldest; its bytes are valid until the next `take`, whatever is added.
  [[nodiscard]] std::optional<WsMessage> take();

  [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
  /// Of what has not been taken.
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Forgets everything. Much memory is given back, a little is kept.
  void clear() noexcept;

 private:
  struct Mark {
    std::uint64_t bytes;
    ws::MessageType type;
  };

  Buffer taken_;     // from here messages are taken, so that it never moves
  Buffer arriving_;  // here they are added
  std::size_t at_ = 0;
  std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace eider::ws::detail
