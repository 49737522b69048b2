// The pipe between OpenSSL and a seal: it reads from the bytes at hand and writes into the wire.
// Must not keep or copy bytes of its own.
#pragma once

#include <openssl/bio.h>

#include <cstddef>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::detail::tls {

class SealEngine;

/// What OpenSSL reads and writes while it is called.
struct SealWire {
  /// Whose it is: callbacks find it by the SSL's BIO.
  SealEngine* engine = nullptr;
  /// Not read yet.
  std::string_view in = {};
  /// Null outside of a call.
  Buffer* out = nullptr;
  /// All that has been read, in bytes.
  std::size_t bytes_read = 0;
};

/// wire  outlives the BIO
[[nodiscard]] BIO* new_seal_bio(SealWire& wire);

}  // namespace eider::detail::tls
