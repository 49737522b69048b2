// Writes WebSocket messages and control frames as bytes, for either side.
// Layering: must not decide anything, nor compress.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/ws/close_code.h"
#include "eider/protocols/http/ws/frame.h"
#include "eider/protocols/http/ws/mask.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws {

/// A source of a client's mask keys: unpredictable bytes for each frame (RFC 6455, sections 5.3 and
/// 10.3).
class MaskSource {
 public:
  [[nodiscard]] virtual MaskKey next() = 0;

 protected:
  ~MaskSource() = default;
};

/// The position of a frame in its message.
enum class Fragment : std::uint8_t { whole, first, middle, last };

/// Plain bytes, or the output of MessageCodec::deflate.
enum class Form : std::uint8_t { plain, compressed };

/// A message, or a fragment of one, to send.
struct Outgoing {
  MessageType type = MessageType::text;
  Form form = Form::plain;
  Fragment fragment = Fragment::whole;
};

/// The limit of a close frame's reason, in bytes (RFC 6455, section 5.5.1).
inline constexpr std::size_t kReasonBytesMax = kControlBytesMax - 2;

/// Stateless: the caller ensures the order of fragments, and sends nothing after a close.
class MessageWriter {
 public:
  /// For a server: nothing is masked.
  MessageWriter() = default;
  /// For a client. masks: must outlive the writer.
  explicit MessageWriter(MaskSource& masks) noexcept : masks_(&masks) {}

  /// Pre: text is UTF-8 (over all its fragments).
  void message(Buffer& out, const Outgoing& outgoing, std::string_view payload) const;
  /// Pre: payload.size() <= kControlBytesMax.
  void ping(Buffer& out, std::string_view payload) const;
  void pong(Buffer& out, std::string_view payload) const;
  /// code    CloseCode::no_status: a close frame without code and reason; else is_sendable
  /// reason  UTF-8; cut at kReasonBytesMax, at the start of a character
  void close(Buffer& out, CloseCode code, std::string_view reason = {}) const;

 private:
  void frame(Buffer& out, FrameHeader header, std::string_view payload) const;

  MaskSource* masks_ = nullptr;
};

}  // namespace eider::ws
