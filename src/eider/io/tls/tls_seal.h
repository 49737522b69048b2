// TLS (RFC 8446, RFC 5246) as a Seal (runtime/seal.h), with the reason of a failure.
// Layering: must not know sockets, and names no type of the TLS library.
#pragma once

#include "eider/io/runtime/seal.h"
#include "eider/io/tls/tls_failure.h"

namespace eider {

class TlsSeal : public Seal {
 public:
  /// Returns `none` until state() is failed. failure() is the sentence for it.
  [[nodiscard]] virtual TlsFailure reason() const noexcept = 0;
};

}  // namespace eider
