#include "eider/io/tls/server_context.h"

#include <array>
#include <span>
#include <utility>

#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/server_responses.h"

namespace eider::detail::tls {

namespace {

/// How long a session can be resumed. A client's certificate is looked at again after minutes,
/// because it may have been taken back.
constexpr long kSessionSeconds = 12L * 60 * 60;
constexpr long kKnownClientSessionSeconds = 10L * 60;

void prefer_ours(SSL_CTX& context) {
  // A client without hardware for AES puts ChaCha20 first, and gets it.
  SSL_CTX_set_options(&context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
}

/// Nothing is kept for sessions: the client has them in tickets.
void use_tickets(SSL_CTX& context, TlsClients clients) {
  SSL_CTX_set_session_cache_mode(&context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(
      &context, clients == TlsClients::anonymous ? kSessionSeconds : kKnownClientSessionSeconds);
}

/// What is refused has to be skipped all the same (RFC 8446, section 4.2.10): a client may have a
/// ticket from a server that did take it. OpenSSL's own way against replays keeps sessions instead
/// of tickets, and looks at a session without asking whether it is used for early data.
void skip_early_data(SSL_CTX& context) {
  SSL_CTX_set_options(&context, SSL_OP_NO_ANTI_REPLAY);
  SSL_CTX_set_max_early_data(&context, 0);
  SSL_CTX_set_recv_max_early_data(&context, SealEngine::kEarlyBytesMax);
}

/// A session holds only where the same is asked of clients: a digest of who may vouch for them.
void bind_sessions(SSL_CTX& context, const ServerContextParts& parts) {
  std::string kind = "eider clients " + std::to_string(static_cast<int>(parts.clients));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  for (int index = 0; index < sk_X509_num(parts.client_authorities.get()); ++index) {
    // Each authority changes the digest, so sessions do not outlive a change of whom we trust.
    X509_digest(sk_X509_value(parts.client_authorities.get(), index), EVP_sha256(), digest.data(),
                &bytes);
    kind.append(reinterpret_cast<const char*>(digest.data()), bytes);
  }
  EVP_Digest(kind.data(), kind.size(), digest.data(), &bytes, EVP_sha256(), nullptr);
  SSL_CTX_set_session_id_context(&context, digest.data(), SSL_MAX_SID_CTX_LENGTH);
}

/// The names of the authorities tell the client which of its certificates to show.
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

/// A certificate that nobody asks for by name is only shown by default.
ServerNames names_of(std::span<const std::shared_ptr<const Identity>> identities) {
  ServerNames names;
  for (std::size_t index = 0; identities.size() > 1 && index < identities.size(); ++index) {
    for (const std::string& name : identities[index]->names) {
      names.add(name, index);
    }
  }
  return names;
}

/// The others are tried too, so that a weak one is found now and not by a client.
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
  // What is safe comes first: options behind it only narrow it.
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
  // Everything that may fail has been done by now: the responses belong to the context from here
  // on.
  attach(*context, std::make_unique<ServerResponses>(
                       ServerResponses{.identities = std::move(parts.identities),
                                       .names = std::move(names),
                                       .protocols = *std::move(protocols),
                                       .ticket_keys = std::move(parts.ticket_keys),
                                       .clock = parts.clock}));
  return context;
}

}  // namespace eider::detail::tls
