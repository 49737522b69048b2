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

/// A source of mask keys for a client: unpredictable bytes for each frame (RFC 6455, sections 5.3
/// and 10.3).
class MaskSource {
 public:
  [[nodiscard]] virtual MaskKey next() = 0;

 protected:
  ~MaskSource() = default;
};

/// Which fragment of its message a frame is.
enum class Fragment : std::uint8_t { whole, first, middle, last };

/// Plain bytes, or the output of MessageCodec::deflate.
enum class Form : std::uint8_t { plain, compressed };

/// A message or a fragment of one as it is to be sent.
struct Outgoing {
  MessageType type = MessageType::text;
  Form form = Form::plain;
  Fragment fragment = Fragment::whole;
};

/// Bytes of a close frame's reason (RFC 6455, section 5.5.1).
inline constexpr std::size_t kReasonBytesMax = kControlBytesMax - 2;

/// Keeps no state: which fragment comes next, and that nothing follows a close, its user sees to.
class MessageWriter {
 public:
  /// A server's: nothing is masked.
  MessageWriter() = default;
  /// A client's. masks: outlives the writer.
  explicit MessageWriter(MaskSource& masks) noexcept : masks_(&masks) {}

  /// Pre: text is UTF-8 (over all its fragments).
  void message(Buffer& out, const Outgoing& outgoing, std::string_view payload) const;
  /// Pre: payload.size() <= kControlBytesMax.
  void ping(Buffer& out, std::string_view payload) const;
  void pong(Buffer& out, std::string_view payload) const;
  /// code    CloseCode::no_status: a close frame without code and reason, else is_sendable
  /// reason  UTF-8; what is above kReasonBytesMax is left out, from a whole character on
  void close(Buffer& out, CloseCode code, std::string_view reason = {}) const;

 private:
  void frame(Buffer& out, FrameHeader header, std::string_view payload) const;

  MaskSource* masks_ = nullptr;
};

}  // namespace eider::ws
