// permessage-deflate (RFC 7692) with zlib, for one WebSocket connection.
// Layering: must not negotiate: deflate_offer.h does, and the codec keeps to its terms.
#pragma once

#include <cstddef>
#include <memory>

#include "eider/protocols/http/ws/deflate_offer.h"
#include "eider/protocols/http/ws/extension.h"
#include "eider/protocols/http/ws/frame.h"

namespace eider::ws {

struct DeflateOptions {
  /// 1 (fast) to 9 (small).
  int level = 4;
  /// 1 to 9: the compressor's tables use 2^(memory_level + 9) bytes.
  int memory_level = 8;
  /// Shorter messages are sent uncompressed.
  std::size_t bytes_min = 32;
};

/// Creates the codec of the component `compress`, which a program links to compress messages.
///
/// memory  of each connection, from its first compressed message on: for a compressor that keeps
///         its context 2^(window bits + 2) + 2^(memory_level + 9) bytes, 262 KiB with the defaults;
///         for a decompressor that keeps its context 7 KiB + 2^(window bits), 39 KiB with 15.
///         Without context takeover none: all connections of a thread share one compressor and one
///         decompressor, except that a message that has arrived in part has its own decompressor.
/// Pre: the own compressor has at least 9 window bits, which DeflateWishes ensures.
[[nodiscard]] std::unique_ptr<MessageCodec> make_deflate_codec(Side own, const DeflateTerms& terms,
                                                               const DeflateOptions& options);

}  // namespace eider::ws
