// The TLS properties of a connection, read from OpenSSL.
// Layering: must not change the connection.
#pragma once

#include <openssl/ssl.h>

#include "eider/core/base/tls_info.h"
#include "eider/io/tls/tls_failure.h"

namespace eider::detail::tls {

/// Pre: the handshake is done.
[[nodiscard]] TlsInfo facts_of(const SSL& ssl);

/// code  the entry of OpenSSL's error queue that ended the connection
[[nodiscard]] TlsFailure failure_of(const SSL& ssl, unsigned long code) noexcept;

/// code  of X509_V_ERR_*, not X509_V_OK
[[nodiscard]] TlsFailure certificate_failure(long code) noexcept;

}  // namespace eider::detail::tls
