// Encodes and decodes messages of topics between processes.
// Layering: must not trust its input; any publisher on the channel may have written it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/io/ws/websocket.h"
#include "eider/server/topics.h"

namespace eider::detail::backplane {

/// Size of the random ID of a process.
inline constexpr std::size_t kOriginBytes = 16;

struct BatchHead {
  std::string_view origin;
  bool has_gap;  // the sender lost messages before these
};

struct BatchMessage {
  std::string_view topic;
  WsMessage message;
  TopicEvent event;
};

[[nodiscard]] std::string batch_head(std::string_view origin, bool has_gap);
inline constexpr std::size_t kBatchHeadBytes = kOriginBytes + 1;
/// Returns one message, to be appended to the head or to other messages.
[[nodiscard]] std::string batch_message(const BatchMessage& message);

/// Remove the head or a message from the front; nothing if the bytes are invalid. The results are
/// views of `in`.
[[nodiscard]] std::optional<BatchHead> read_batch_head(std::string_view& in) noexcept;
[[nodiscard]] std::optional<BatchMessage> read_batch_message(std::string_view& in) noexcept;

}  // namespace eider::detail::backplane
