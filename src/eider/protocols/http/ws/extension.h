// The interface to compress and decompress messages (RFC 7692).
// Layering: must not know how: http/ws/deflate does, with zlib, and the server chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::ws {

enum class Inflated : std::uint8_t {
  done,
  /// The bytes are not what DEFLATE allows: the connection fails with 1007.
  corrupt,
  /// More would have come out than `bytes_max`: the connection fails with 1009.
  too_large,
};

enum class Deflated : std::uint8_t {
  done,
  /// Nothing was appended, and the next message does not refer to this one: send it as it is.
  declined,
};

/// One connection's compressor and decompressor, agreed on in the handshake. It may share its
/// memory with others of its loop between messages.
class MessageCodec {
 public:
  MessageCodec() = default;
  MessageCodec(const MessageCodec&) = delete;
  MessageCodec& operator=(const MessageCodec&) = delete;
  virtual ~MessageCodec() = default;

  /// Appends to `out` what this piece of the message's payload expands to, all that can be known
  /// from it; never more than `bytes_max` bytes, however small the piece.
  ///
  /// piece      unmasked payload of compressed frames, cut anyhow; may be empty
  /// bytes_max  what is left of the message's limit
  /// errors     corrupt, too_large: the codec is not used again
  /// source     RFC 7692, section 7.2.2
  [[nodiscard]] virtual Inflated inflate(std::string_view piece, std::size_t bytes_max,
                                         Buffer& out) = 0;
  /// The message has ended: as `inflate` with the bytes 00 00 FF FF; then a message begins anew.
  [[nodiscard]] virtual Inflated inflate_end(std::size_t bytes_max, Buffer& out) = 0;

  /// Appends the compressed payload of one whole message, without the tail 00 00 FF FF.
  /// source     RFC 7692, section 7.2.1
  [[nodiscard]] virtual Deflated deflate(std::string_view message, Buffer& out) = 0;
};

}  // namespace eider::ws
