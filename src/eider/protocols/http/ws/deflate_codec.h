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
  /// 1 to 9: the compressor's tables take 2^(memory_level + 9) bytes.
  int memory_level = 8;
  /// Shorter messages are sent as they are.
  std::size_t bytes_min = 32;
};

/// What the component `compress` has: a program that compresses links it.
///
/// memory  of each connection, from its first compressed message on: for a compressor whose context
///         is kept 2^(window bits + 2) + 2^(memory_level + 9) bytes, 262 KiB with the defaults; for
///         a decompressor whose context is kept 7 KiB + 2^(window bits), 39 KiB with 15. Without
///         takeover none: one compressor and one decompressor of the thread serve all connections,
///         except that a message which has come in part keeps a decompressor of its own.
/// Pre: window bits of the own compressor are 9 or more, which DeflateWishes sees to.
[[nodiscard]] std::unique_ptr<MessageCodec> make_deflate_codec(Side own, const DeflateTerms& terms,
                                                               const DeflateOptions& options);

}  // namespace eider::ws
