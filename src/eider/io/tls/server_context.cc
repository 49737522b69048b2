#include "eider/io/tls/server_context.h"

#include <array>
#include <span>
#include <utility>

#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/server_responses.h"

namespace eider::detail::tls {

namespace {

/// How long a session can be resumed. For client certificates only minutes, because they may have
/// been revoked.
constexpr long kSessionSeconds = 12L * 60 * 60;
constexpr long kKnownClientSessionSeconds = 10L * 60;

void prefer_ours(SSL_CTX& context) {
  // A client without hardware support for AES prefers ChaCha20, and gets it.
  SSL_CTX_set_options(&context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}

/// The server stores no sessions: the clients keep them as tickets.
void use_tickets(SSL_CTX& context, TlsClients clients) {
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(
      &context, clients == TlsClients::anonymous ? kSessionSeconds : kKnownClientSessionSeconds);
}

/// Rejected early data must still be skipped (RFC 8446, section 4.2.10): a client may have a ticket
/// from a server that accepted it. OpenSSL's own protection against replays stores sessions instead
/// of tickets, and checks a session even if it is not used for early data.
void skip_early_data(SSL_CTX& context) {
  SSL_CTX_set_options(&context, SSL_OP_NO_ANTI_REPLAY);
  SSL_CTX_set_max_early_data(&context, 0);
  SSL_CTX_set_recv_max_early_data(&context, SealEngine::kEarlyBytesMax);
}

/// Binds sessions to the requirements for clients, by a digest of the trusted authorities.
void bind_sessions(SSL_CTX& context, const ServerContextParts& parts) {
  std::string kind = "eider clients " + std::to_string(static_cast<int>(parts.clients));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  for (int index = 0; index < sk_X509_num(parts.client_authorities.get()); ++index) {
    // Each authority changes the digest, so that sessions end if the trusted authorities change.
    X509_digest(sk_X509_value(parts.client_authorities.get(), index), EVP_sha256(), digest.data(),
                &bytes);
    kind.append(reinterpret_cast<const char*>(digest.data()), bytes);
  }
  EVP_Digest(kind.data(), kind.size(), digest.data(), &bytes, EVP_sha256(), nullptr);
  SSL_CTX_set_session_id_context(&context, digest.data(), SSL_MAX_SID_CTX_LENGTH);
}

/// The names of the authorities tell the client which of its certificates to present.
void ask_clients(SSL_CTX& context, const ServerContextParts& parts) {
  if (parts.clients == TlsClients::anonymous) {
    SSL_CTX_set_verify(&context, SSL_VERIFY_NONE, nullptr);
    return;
  }
  for (int index = 0; index < sk_X509_num(parts.client_authorities.get()); ++index) {
    X509* const authority = sk_X509_value(parts.client_authorities.get(), index);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(&context), authority);
    SSL_CTX_add_client_CA(&context, authority);
  }
  const bool is_required = parts.clients == TlsClients::required;
  SSL_CTX_set_verify(
      &context, SSL_VERIFY_PEER | (is_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), nullptr);
}

/// With only one certificate no names are needed, because it is the default.
ServerNames names_of(std::span<const std::shared_ptr<const Identity>> identities) {
  ServerNames names;
  for (std::size_t index = 0; identities.size() > 1 && index < identities.size(); ++index) {
    for (const std::string& name : identities[index]->names) {
      names.add(name, index);
    }
  }
  return names;
}

/// Also tests the other certificates, so that a weak one is found now and not by a client.
Result<void> show_default(SSL_CTX& context,
                          std::span<const std::shared_ptr<const Identity>> identities) {
  for (const auto& other : identities.subspan(1)) {
    const SslPtr trial(SSL_new(&context));
    ensure_memory(trial.get());
    if (Result<void> shown = show_identity(*trial, *other); !shown) {
      return shown;
    }
  }
  return show_identity(context, *identities.front());
}

}  // namespace

Result<SslContextPtr> make_server_context(ServerContextParts parts) {
  SslContextPtr context(SSL_CTX_new(TLS_server_method()));
  ensure_memory(context.get());
  limit_to_safe(*context);
  if (parts.version_min == TlsVersion::tls_1_3) {
    SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  }
  // Set the safe limits first; later options only narrow them.
  prefer_ours(*context);
  use_tickets(*context, parts.clients);
  skip_early_data(*context);
  bind_sessions(*context, parts);
  ask_clients(*context, parts);
  if (Result<void> shown = show_default(*context, parts.identities); !shown) {
    return fail(shown.error());
  }
  auto protocols = to_alpn(parts.protocols);
  if (!protocols) {
    return fail(protocols.error());
  }
  SealEngine::prepare(*context);
  ServerNames names = names_of(parts.identities);
  // All steps that may fail are done: the context owns the responses from now on.
  attach(*context, std::make_unique<ServerResponses>(
                       ServerResponses{.identities = std::move(parts.identities),
                                       .names = std::move(names),
                                       .protocols = *std::move(protocols),
                                       .ticket_keys = std::move(parts.ticket_keys),
                                       .clock = parts.clock}));
  return context;
}

}  // namespace eider::detail::tls
