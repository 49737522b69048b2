// TLS (RFC 8446, RFC 5246) as a runtime/seal.h, with the reason of a failure.
// Layering: must not know sockets, and names no type of the TLS library.
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
