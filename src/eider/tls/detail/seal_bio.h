// The pipe between OpenSSL and a seal: it reads from the bytes at hand and writes into the wire.
// Must not keep or copy bytes of its own.
#pragma once

#include <openssl/bio.h>

#include <cstddef>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/tls/detail/kernel_share.h"

namespace eider::detail {

class SealEngine;

/// What OpenSSL reads and writes while it is called.
struct SealWire {
  /// Whose it is: callbacks find it by the SSL's BIO.
  SealEngine* engine = nullptr;
  /// Not read yet.
  std::string_view in = {};
  /// Null outside of a call.
  Buffer* out = nullptr;
  /// Learns the keys of what is written; may be null.
  KernelShare* share = nullptr;
  /// What is written goes nowhere: the kernel encrypts in OpenSSL's place.
  bool is_sealed_elsewhere = false;
  /// All that has been read, in bytes.
  std::size_t bytes_read = 0;
};

/// wire  outlives the BIO
[[nodiscard]] BIO* new_seal_bio(SealWire& wire);

}  // namespace eider::detail
