// Creates the OpenSSL context of a server, with all security settings.
// Layering: must not read files: identities are already loaded.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/identity.h"
#include "eider/io/tls/openssl.h"
#include "eider/io/tls/ticket_keys.h"
#include "eider/io/tls/tls.h"

namespace eider::detail::tls {

/// The clocks for durations and for certificate dates. Tests use their own.
struct TlsClock {
  Instant (*steady)() = [] { return Instant(std::chrono::steady_clock::now()); };
  std::time_t (*wall)() = [] { return std::time(nullptr); };
};

struct ServerContextParts {
  /// The default one is first; at least one.
  std::vector<std::shared_ptr<const Identity>> identities;
  /// The authorities for client certificates; null if clients are anonymous.
  CertificatesPtr client_authorities;
  TlsClients clients = TlsClients::anonymous;
  std::vector<std::string> protocols;
  TlsVersion version_min = TlsVersion::tls_1_2;
  /// The same for all contexts of a server, so that sessions can be resumed with a new certificate.
  std::shared_ptr<TicketKeys> ticket_keys;
  TlsClock clock;
};

/// errors  the key or signature of a certificate is too weak, or the name of a protocol does not
///         have 1 to 255 bytes
[[nodiscard]] Result<SslContextPtr> make_server_context(ServerContextParts parts);

/// The cipher suites of TLS 1.2, best first: only those with forward secrecy and authenticated
/// encryption.
inline constexpr const char* kSuites12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
/// The cipher suites of TLS 1.3, cheapest first: 128 bits are secure as well.
inline constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_"
    "SHA256";
inline constexpr const char* kGroups = "X25519:P-256:P-384";
/// 112 bits: RSA of at least 2048 bits, no SHA-1 (OpenSSL, SSL_CTX_set_security_level).
inline constexpr int kSecurityLevel = 2;
/// The limit of a peer's certificate chain in bytes.
inline constexpr long kChainBytesMax = 32L * 1024;

/// Sets the limits of both sides: versions, suites, groups, strength; no compression or
/// renegotiation.
void limit_to_safe(SSL_CTX& context);

/// Encodes {"h2", "http/1.1"} for ALPN: each preceded by its length.
///
/// errors  one is empty or longer than 255 bytes
[[nodiscard]] Result<std::vector<std::uint8_t>> to_alpn(const std::vector<std::string>& protocols);

/// Sets the identity of all connections of a context, or of one connection.
///
/// errors  its key or signature is too weak: the detail has the file
[[nodiscard]] Result<void> show_identity(SSL_CTX& context, const Identity& identity);
[[nodiscard]] Result<void> show_identity(SSL& ssl, const Identity& identity);

}  // namespace eider::detail::tls
