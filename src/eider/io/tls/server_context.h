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

/// How long something lasts, and which day it is for certificates. Tests bring their own.
struct TlsClock {
  Instant (*steady)() = [] { return Instant(std::chrono::steady_clock::now()); };
  std::time_t (*wall)() = [] { return std::time(nullptr); };
};

struct ServerContextParts {
  /// The default one first; at least one.
  std::vector<std::shared_ptr<const Identity>> identities;
  /// What vouches for clients; null when they are anonymous.
  CertificatesPtr client_authorities;
  TlsClients clients = TlsClients::anonymous;
  std::vector<std::string> protocols;
  TlsVersion version_min = TlsVersion::tls_1_2;
  /// The same for all contexts of a server, so that sessions survive a new certificate.
  std::shared_ptr<TicketKeys> ticket_keys;
  TlsClock clock;
};

/// errors  a certificate's key or signature is too weak, or a protocol's name is not of 1 to 255
///         bytes
[[nodiscard]] Result<SslContextPtr> make_server_context(ServerContextParts parts);

/// The suites of TLS 1.2, best first: forward secret and authenticated, nothing else.
inline constexpr const char* kSuites12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
/// Those of TLS 1.3 in the order of what they cost: 128 bits are beyond reach too.
inline constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_"
    "SHA256";
inline constexpr const char* kGroups = "X25519:P-256:P-384";
/// 112 bits: RSA of 2048 bits at least, no SHA-1 (OpenSSL, SSL_CTX_set_security_level).
inline constexpr int kSecurityLevel = 2;
/// Bytes of a peer's chain of certificates.
inline constexpr long kChainBytesMax = 32L * 1024;

/// What both ends accept: versions, suites, groups, strength; no compression, no renegotiation.
void limit_to_safe(SSL_CTX& context);

/// {"h2", "http/1.1"} as ALPN has it on the wire: each with its length in front.
///
/// errors  one is empty or longer than 255 bytes
[[nodiscard]] Result<std::vector<std::uint8_t>> to_alpn(const std::vector<std::string>& protocols);

/// Shows `identity` to the peers of this context, or to one peer.
///
/// errors  its key or signature is too weak: the detail names the file
[[nodiscard]] Result<void> show_identity(SSL_CTX& context, const Identity& identity);
[[nodiscard]] Result<void> show_identity(SSL& ssl, const Identity& identity);

}  // namespace eider::detail::tls
