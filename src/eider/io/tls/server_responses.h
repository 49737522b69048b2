// A server's decisions during a handshake: certificate, protocol, ticket, OCSP.
// Layering: must not set what is accepted: server_context.cc does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/tls/server_context.h"

namespace eider::detail::tls {

/// Finds the certificates for the name that a client requests (SNI, RFC 6066, section 3).
class ServerNames {
 public:
  /// name   "example.org" or "*.example.org", in lowercase; others are ignored
  /// index  of the caller
  void add(std::string_view name, std::size_t index);

  /// Returns the indexes for the exact name, or else for the wildcard of its first label (RFC 9525,
  /// section 6.3), in the order of `add`. Case-insensitive.
  [[nodiscard]] std::span<const std::size_t> find(std::string_view name) const;

  [[nodiscard]] bool empty() const noexcept { return indexes_.empty(); }

 private:
  std::map<std::string, std::vector<std::size_t>, std::less<>> indexes_;
};

/// Lives as long as its context.
struct ServerResponses {
  std::vector<std::shared_ptr<const Identity>> identities;
  /// Empty if there is only one identity.
  ServerNames names;
  /// In the encoding of ALPN.
  std::vector<std::uint8_t> protocols;
  std::shared_ptr<TicketKeys> ticket_keys;
  TlsClock clock;
};

/// Registers the callbacks. The context owns `responses` from then on.
void attach(SSL_CTX& context, std::unique_ptr<ServerResponses> responses);

/// The callback for tickets (RFC 5077, section 4), in ticket_responses.cc.
int protect_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                   EVP_MAC_CTX* mac, int is_new);

[[nodiscard]] const ServerResponses& responses_of(const SSL* ssl) noexcept;

}  // namespace eider::detail::tls
