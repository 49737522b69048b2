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

/// Which process, by chance.
inline constexpr std::size_t kOriginBytes = 16;

struct BatchHead {
  std::string_view origin;
  bool has_gap;  // its sender has lost some that should have come ahead of these
};

struct BatchMessage {
  std::string_view topic;
  WsMessage message;
  TopicEvent event;
};

[[nodiscard]] std::string make_origin();
[[nodiscard]] std::string batch_head(std::string_view origin, bool has_gap);
inline constexpr std::size_t kBatchHeadBytes = kOriginBytes + 1;
/// One message, to be appended behind the head or others.
[[nodiscard]] std::string batch_message(const BatchMessage& message);

/// Takes it off the front; nothing where the bytes are no such. What is read views `in`.
[[nodiscard]] std::optional<BatchHead> read_batch_head(std::string_view& in) noexcept;
[[nodiscard]] std::optional<BatchMessage> read_batch_message(std::string_view& in) noexcept;

}  // namespace eider::detail::backplane
