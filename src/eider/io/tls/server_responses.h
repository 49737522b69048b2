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

/// Finds the certificates for the name that a client asks for (SNI, RFC 6066, section 3).
class ServerNames {
 public:
  /// name   "example.org" or "*.example.org", in lower case; others are left out index the caller's
  void add(std::string_view name, std::size_t index);

  /// Those of the very name, or else of the wildcard for its first label (RFC 9525, section 6.3);
  /// in the order they were added. Letters of both cases are the same.
  [[nodiscard]] std::span<const std::size_t> find(std::string_view name) const;

  [[nodiscard]] bool empty() const noexcept { return indexes_.empty(); }

 private:
  std::map<std::string, std::vector<std::size_t>, std::less<>> indexes_;
};

/// Lives as long as the context that it is attached to.
struct ServerResponses {
  std::vector<std::shared_ptr<const Identity>> identities;
  /// Empty when there is only one identity.
  ServerNames names;
  /// As on the wire.
  std::vector<std::uint8_t> protocols;
  std::shared_ptr<TicketKeys> ticket_keys;
  TlsClock clock;
};

/// Registers the callbacks. The context owns `responses` from then on.
void attach(SSL_CTX& context, std::unique_ptr<ServerResponses> responses);

/// The ticket's part of it (RFC 5077, section 4), in ticket_responses.cc.
int protect_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                   EVP_MAC_CTX* mac, int is_new);

[[nodiscard]] const ServerResponses& responses_of(const SSL* ssl) noexcept;

}  // namespace eider::detail::tls
