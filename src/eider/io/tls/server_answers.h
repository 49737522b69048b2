// What a server answers while a handshake goes on: certificate, protocol, ticket, OCSP.
// Must not set what is accepted: server_context.cc does.
#pragma once

#include <cstdint>
#include <vector>

#include "eider/io/tls/server_context.h"
#include "eider/io/tls/server_names.h"

namespace eider::detail::tls {

/// Lives as long as the context that it is attached to.
struct ServerAnswers {
  std::vector<std::shared_ptr<const Identity>> identities;
  /// Empty when there is only one identity.
  ServerNames names;
  /// As on the wire.
  std::vector<std::uint8_t> protocols;
  std::shared_ptr<TicketKeys> ticket_keys;
  TlsClock clock;
};

/// Registers the callbacks. The context owns `answers` from then on.
void attach(SSL_CTX& context, std::unique_ptr<ServerAnswers> answers);

/// The ticket's part of it (RFC 5077, section 4), in ticket_answers.cc.
int protect_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                   EVP_MAC_CTX* mac, int is_new);

[[nodiscard]] const ServerAnswers& answers_of(const SSL* ssl) noexcept;

}  // namespace eider::detail::tls
