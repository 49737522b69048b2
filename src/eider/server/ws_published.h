// One published message, framed once and shared by all connections.
// Layering: must not change once made: several threads read it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/ws/websocket.h"
#include "eider/server/topics.h"

namespace eider::detail::server {

class Published {
 public:
  /// Throws std::invalid_argument for an invalid name or ID of an event.
  Published(std::string_view topic, const WsMessage& message, const TopicEvent& event);

  [[nodiscard]] std::string_view topic() const noexcept { return topic_; }
  /// Returns its memory size while it waits.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    constexpr std::size_t kOverhead = 64;
    return sizeof(Published) + topic_.capacity() + frame_.capacity() + event_.capacity() +
           kOverhead;
  }

  /// Returns the text for event streams; empty if the message is not text.
  [[nodiscard]] std::string_view event() const noexcept { return event_.view(); }
  /// Returns the uncompressed frame.
  [[nodiscard]] std::string_view frame() const noexcept { return frame_.view(); }
  [[nodiscard]] WsMessage message() const noexcept {
    return {type_, frame_.view().substr(frame_.size() - payload_bytes_)};
  }

 private:
  std::string topic_;
  Buffer frame_;
  Buffer event_;
  std::size_t payload_bytes_;
  ws::MessageType type_;
};

using SharedMessage = std::shared_ptr<const Published>;

}  // namespace eider::detail::server
