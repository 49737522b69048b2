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
  /// Copies the message to the end.
  void add(const WsMessage& message);
  /// Returns the oldest message; its bytes are valid until the next `take`, even if messages are
  /// added.
  [[nodiscard]] std::optional<WsMessage> take();

  [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
  /// Return the number of messages that were not taken, and of their bytes.
  [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the memory of all messages, including those that were taken and are still viewed.
  [[nodiscard]] std::size_t held_bytes() const noexcept { return taken_.size() + arriving_.size(); }

  /// Removes everything. Frees large memory, and keeps a little.
  void clear() noexcept;

 private:
  struct Mark {
    std::uint64_t bytes;
    ws::MessageType type;
  };

  Buffer taken_;     // messages are taken from here; it does not move
  Buffer arriving_;  // messages are added here
  std::size_t at_ = 0;
  std::size_t messages_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace eider::ws::detail
