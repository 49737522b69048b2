#include <limits>

#include "eider/io/tls/server_context.h"

namespace eider::detail::tls {

namespace {
constexpr int kReplace = 1;
}

void limit_to_safe(SSL_CTX& context) {
  SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(&context, TLS1_3_VERSION);
  // OpenSSL's defaults and the system's configuration may have set these.
  SSL_CTX_clear_options(&context, SSL_OP_LEGACY_SERVER_CONNECT |
                                      SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION |
                                      SSL_OP_ALLOW_CLIENT_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_options(&context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_security_level(&context, kSecurityLevel);
  SSL_CTX_set_cipher_list(&context, kSuites12);
  SSL_CTX_set_ciphersuites(&context, kSuites13);
  SSL_CTX_set1_groups_list(&context, kGroups);
  SSL_CTX_set_max_cert_list(&context, kChainBytesMax);
}

Result<std::vector<std::uint8_t>> to_alpn(const std::vector<std::string>& protocols) {
  std::vector<std::uint8_t> wire;
  for (const std::string& name : protocols) {
    if (name.empty() || name.size() > std::numeric_limits<std::uint8_t>::max()) {
      return fail(Error::unavailable(
          "TLS: \"" + name +
          "\" is not an application protocol: the name must have 1 to 255 bytes (RFC 7301)"));
    }
    wire.push_back(static_cast<std::uint8_t>(name.size()));
    wire.insert(wire.end(), name.begin(), name.end());
  }
  return wire;
}

namespace {

Result<void> shown(int outcome, const Identity& identity) {
  if (outcome == 1) {
    return {};
  }
  return fail(Error::unavailable("TLS: the certificate in " + identity.file +
                                 " cannot be used: " + take_openssl_error()));
}

}  // namespace

Result<void> show_identity(SSL_CTX& context, const Identity& identity) {
  return shown(SSL_CTX_use_cert_and_key(&context, identity.certificate.get(), identity.key.get(),
                                        identity.chain.get(), kReplace),
               identity);
}

Result<void> show_identity(SSL& ssl, const Identity& identity) {
  return shown(SSL_use_cert_and_key(&ssl, identity.certificate.get(), identity.key.get(),
                                    identity.chain.get(), kReplace),
               identity);
}

}  // namespace eider::detail::tls
