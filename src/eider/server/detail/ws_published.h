// One published message, framed once and shared by all who send it.
// Must not change once made: several threads read it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/server/websocket.h"

namespace eider::detail {

class Published {
 public:
  explicit Published(const WsMessage& message);

  /// As it leaves when nothing is compressed.
  [[nodiscard]] std::string_view frame() const noexcept { return frame_.view(); }
  [[nodiscard]] WsMessage message() const noexcept {
    return {type_, frame_.view().substr(frame_.size() - payload_bytes_)};
  }

 private:
  Buffer frame_;
  std::size_t payload_bytes_;
  ws::MessageType type_;
};

using SharedMessage = std::shared_ptr<const Published>;

}  // namespace eider::detail
