// TLS for clients: trusted authorities, and connections to named servers.
// Layering: must not open connections: the HTTP client does, and adds a seal to each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/tls/tls_seal.h"

namespace eider {

/// How a client verifies the server's certificate.
enum class TlsVerify : std::uint8_t {
  /// It must be valid, signed by a trusted authority, and for the server's name.
  peer,
  /// No verification: an attacker in the network can read and change everything. For experiments.
  nothing,
};

struct TlsClientOptions {
  TlsVerify verify = TlsVerify::peer;
  /// Trusts the authorities of the system (SSL_CERT_FILE and SSL_CERT_DIR, if they are set).
  bool trusts_system = true;
  /// A PEM file of additional authorities; empty: none.
  std::string authorities = {};
  /// PEM files of the client's certificate, for servers that request one; both or none.
  std::string certificate = {};
  std::string key = {};
};

/// The server at the other end of one connection.
struct TlsServerName {
  /// A host name or an IP address, without brackets and port: "example.org", "127.0.0.1", "::1".
  std::string_view host;
  /// Sessions are resumed only with the same host and port.
  std::uint16_t port = 443;
  /// The protocols to offer, in order of preference: {"h2", "http/1.1"}; empty: no ALPN.
  std::vector<std::string> protocols = {};
};

/// The TLS state that all connections share, on any thread. Keeps a bounded number of sessions, to
/// resume them.
class TlsClientContext {
 public:
  virtual ~TlsClientContext() = default;

  /// errors  a file cannot be read or contains no certificate: the detail names the file
  [[nodiscard]] static Result<std::shared_ptr<TlsClientContext>> make(
      const TlsClientOptions& options = {});

  /// Makes a seal to `start` once the socket is connected. It may outlive the context.
  ///
  /// errors  the host is neither a host name nor an IP address, or a protocol is not of 1 to 255
  ///         bytes
  [[nodiscard]] virtual Result<std::unique_ptr<TlsSeal>> make_seal(const TlsServerName& server) = 0;
};

}  // namespace eider
