// A seal of TLS (RFC 8446, RFC 5246): what runtime/seal.h asks for, and why it failed as a value.
// Must not know sockets, and names no type of the library behind it.
#pragma once

#include "eider/io/runtime/seal.h"
#include "eider/io/tls/tls_failure.h"

namespace eider {

class TlsSeal : public Seal {
 public:
  /// `none` until state() is failed; failure() says it in a sentence.
  [[nodiscard]] virtual TlsFailure reason() const noexcept = 0;
};

}  // namespace eider
