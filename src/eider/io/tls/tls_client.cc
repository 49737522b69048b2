#include "eider/io/tls/tls_client.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "eider/io/tls/client_sessions.h"
#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/server_context.h"

namespace eider {

namespace {

using namespace detail::tls;

bool is_address(const std::string& host) noexcept {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool is_name(std::string_view host) noexcept {
  constexpr std::size_t kBytesMax = 253;
  constexpr std::string_view kStrange("\0 /:[]@*", 8);
  return !host.empty() && host.size() <= kBytesMax && !host.starts_with('.') &&
         host.find_first_of(kStrange) == std::string_view::npos;
}

/// An address is not a name for SNI (RFC 6066, section 3), and certificates list it as an address.
///
/// returns  false if OpenSSL rejects it or has no memory: without it, *any* name would be accepted
[[nodiscard]] bool expect(SSL& ssl, const std::string& host) {
  X509_VERIFY_PARAM* const wanted = SSL_get0_param(&ssl);
  if (is_address(host)) {
    return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
  }
  X509_VERIFY_PARAM_set_hostflags(
      wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return X509_VERIFY_PARAM_set1_host(wanted, host.data(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(&ssl, host.c_str()) == 1;
}

Result<void> trust(SSL_CTX& context, const TlsClientOptions& options) {
  X509_STORE* const store = SSL_CTX_get_cert_store(&context);
  if (options.trusts_system) {
    SSL_CTX_set_default_verify_paths(&context);
    ERR_clear_error();  // without system authorities, the first verification fails
  }
  if (options.authorities.empty()) {
    return {};
  }
  Result<CertificatesPtr> more = load_certificates(options.authorities);
  if (!more) {
    return fail(more.error());
  }
  for (int index = 0; index < sk_X509_num(more->get()); ++index) {
    X509_STORE_add_cert(store, sk_X509_value(more->get(), index));
  }
  return {};
}

Result<void> show_own(SSL_CTX& context, const TlsClientOptions& options) {
  if (options.certificate.empty()) {
    return {};
  }
  const TlsCertificate files{.certificate = options.certificate, .key = options.key, .ocsp = {}};
  const Result<Identity> own = load_identity(files, std::time(nullptr));
  return own ? show_identity(context, *own) : fail(own.error());
}

class ClientContext final : public TlsClientContext {
 public:
  explicit ClientContext(SslContextPtr context) noexcept : context_(std::move(context)) {}

  Result<std::unique_ptr<TlsSeal>> make_seal(const TlsServerName& server) override {
    const std::string host(
        server.host.substr(0, server.host.size() - (server.host.ends_with('.') ? 1 : 0)));
    Result<std::vector<std::uint8_t>> protocols = to_alpn(server.protocols);
    if (!protocols) {
      return fail(protocols.error());
    }
    if (!is_address(host) && !is_name(host)) {
      return fail(
          Error::unavailable("TLS: \"" + host + "\" is neither a host name nor an IP address"));
    }
    SslPtr ssl = make_ssl(context_.get(), SSL_set_connect_state);
    // Without a name to check, any certificate would be accepted, so create no seal.
    if (!expect(*ssl, host)) {
      ERR_clear_error();
      return fail(Error::unavailable("TLS: cannot verify that a server is \"" + host + "\""));
    }
    SSL_set_alpn_protos(ssl.get(), protocols->data(), static_cast<unsigned>(protocols->size()));
    std::string key = host + " " + std::to_string(server.port);
    // Resume a session only with the server that it was made with.
    if (const SessionPtr session = sessions_->take(key)) {
      SSL_set_session(ssl.get(), session.get());
    }
    return std::make_unique<SealEngine>(std::move(ssl),
                                        std::make_unique<SessionKeeper>(sessions_, std::move(key)));
  }

 private:
  const SslContextPtr context_;
  const std::shared_ptr<ClientSessions> sessions_ = std::make_shared<ClientSessions>();
};

}  // namespace

Result<std::shared_ptr<TlsClientContext>> TlsClientContext::make(const TlsClientOptions& options) {
  SslContextPtr context(SSL_CTX_new(TLS_client_method()));
  ensure_memory(context.get());
  limit_to_safe(*context);
  SSL_CTX_set_verify(context.get(),
                     options.verify == TlsVerify::peer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     nullptr);
  // Sessions are kept here per server, because OpenSSL's cache does not know names.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  if (Result<void> trusted = trust(*context, options); !trusted) {
    return fail(trusted.error());
  }
  if (Result<void> shown = show_own(*context, options); !shown) {
    return fail(shown.error());
  }
  SealEngine::prepare(*context);
  return std::make_shared<ClientContext>(std::move(context));
}

}  // namespace eider
