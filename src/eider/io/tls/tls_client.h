// The client's side of TLS: whom to trust, and the seals of connections to named servers.
// Must not open connections: the HTTP client does, and puts a seal upon each.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/tls/tls_seal.h"

namespace eider {

/// What a client makes of the server's certificate.
enum class TlsVerify : std::uint8_t {
  /// It has to be valid, vouched for by a trusted authority, and for the server's name.
  peer,
  /// Anything goes, and an attacker in between can read and change everything. For experiments.
  nothing,
};

struct TlsClientOptions {
  TlsVerify verify = TlsVerify::peer;
  /// The authorities that the system trusts (SSL_CERT_FILE and SSL_CERT_DIR, where they are set).
  bool trusts_system = true;
  /// A PEM file of further authorities; empty is none.
  std::string authorities = {};
  /// PEM files by which the client shows itself to servers that ask; both or none.
  std::string certificate = {};
  std::string key = {};
};

/// The server at the other end of one connection.
struct TlsServerName {
  /// A DNS name or an IP address, without brackets and port: "example.org", "127.0.0.1", "::1".
  std::string_view host;
  /// Sessions are resumed at the same host and port only.
  std::uint16_t port = 443;
  /// What to offer, best first: {"h2", "http/1.1"}; none is offered where it is empty.
  std::vector<std::string> protocols = {};
};

/// Shared by all connections, on any thread. Keeps sessions, to resume them: a bounded number.
class TlsClientContext {
 public:
  virtual ~TlsClientContext() = default;

  /// errors  a file that cannot be read or holds no certificate: the detail names it
  [[nodiscard]] static Result<std::shared_ptr<TlsClientContext>> make(
      const TlsClientOptions& options = {});

  /// A seal to `start` as soon as the connection stands. It may outlive the context.
  ///
  /// errors  the host is neither a name nor an address, or a protocol is not of 1 to 255 bytes
  [[nodiscard]] virtual Result<std::unique_ptr<TlsSeal>> make_seal(const TlsServerName& server) = 0;
};

}  // namespace eider
