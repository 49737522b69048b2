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
  /// The bytes are not valid DEFLATE: the connection fails with 1007.
  corrupt,
  /// The output would exceed `bytes_max`: the connection fails with 1009.
  too_large,
};

enum class Deflated : std::uint8_t {
  done,
  /// Nothing was appended, and the next message does not refer to this one: send it uncompressed.
  declined,
};

/// The compressor and decompressor of one connection, with the terms of the handshake. Between
/// messages it may share memory with other codecs of its event loop.
class MessageCodec {
 public:
  MessageCodec() = default;
  MessageCodec(const MessageCodec&) = delete;
  MessageCodec& operator=(const MessageCodec&) = delete;
  virtual ~MessageCodec() = default;

  /// Decompresses a piece of the message's payload and appends the output so far to `out`, at most
  /// `bytes_max` bytes.
  ///
  /// piece      unmasked payload of compressed frames, cut anywhere; may be empty
  /// bytes_max  the rest of the message's limit
  /// errors     corrupt, too_large: the codec is not used again
  /// source     RFC 7692, section 7.2.2
  [[nodiscard]] virtual Inflated inflate(std::string_view piece, std::size_t bytes_max,
                                         Buffer& out) = 0;
  /// Ends the message: like `inflate` with the bytes 00 00 FF FF. Then the next message starts.
  [[nodiscard]] virtual Inflated inflate_end(std::size_t bytes_max, Buffer& out) = 0;

  /// Appends the compressed payload of one whole message, without the tail 00 00 FF FF.
  /// source     RFC 7692, section 7.2.1
  [[nodiscard]] virtual Deflated deflate(std::string_view message, Buffer& out) = 0;
};

}  // namespace eider::ws
