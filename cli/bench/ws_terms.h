// Data shared by the WebSocket connections of one thread: the handshake, messages, and masks.
// Layering: must not send anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/options.h"
#include "cli/bench/requests.h"
#include "cli/bench/target.h"
#include "eider/client/ws/random_masks.h"
#include "eider/client/ws/ws_client.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/ws/message_reader.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider::bench {

/// A text whose first 16 characters (fewer in a shorter text) encode a number.
class StampedText {
 public:
  explicit StampedText(std::string text) noexcept : text_(std::move(text)) {}

  /// Returns the text with that number; valid until the next call. Texts of less than 16 bytes
  /// repeat.
  [[nodiscard]] std::string_view with(std::uint64_t number) noexcept;

 private:
  std::string text_;
};

/// Returns why these headers do not allow a handshake, in a sentence; nothing if they do.
[[nodiscard]] std::optional<std::string> opening_fault(const Options& options);

struct WsTerms {
  /// All arguments outlive it. Pre: !opening_fault(options).
  WsTerms(const std::vector<Request>& prepared, const Options& options, const Target& target);

  const std::vector<Request>& messages;  // only their parts.body
  std::optional<StampedText> stamped;    // sent instead, if the options specify no message
  unsigned pipeline;
  ws::MessageType type;
  Check check;
  detail::client::WsUrl url;
  WsClientOptions opening;
  detail::client::RandomMasks masks;
  ws::MessageWriter writer{masks};
  ws::MessageLimits limits;
  Buffer scratch;
};

}  // namespace eider::bench
