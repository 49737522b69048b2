#include "eider/io/tls/seal_facts.h"

#include <openssl/sslerr.h>

#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

namespace {

std::string protocol_of(const SSL& ssl) {
  const unsigned char* name = nullptr;
  unsigned bytes = 0;
  SSL_get0_alpn_selected(&ssl, &name, &bytes);
  return bytes == 0 ? std::string() : std::string(reinterpret_cast<const char*>(name), bytes);
}

std::string server_name_of(const SSL& ssl) {
  const char* name = SSL_get_servername(&ssl, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

/// Only a certificate that was verified says anything about the client.
ClientCertificate client_of(const SSL& ssl) {
  X509* const certificate = SSL_get0_peer_certificate(&ssl);
  // A resumed session keeps the result of its verification, so this holds there as well.
  const bool is_known = SSL_is_server(&ssl) != 0 && certificate != nullptr &&
                        SSL_get_verify_result(&ssl) == X509_V_OK;
  return is_known ? describe(*certificate) : ClientCertificate{};
}

TlsFailure handshake_failure(int reason) noexcept {
  switch (reason) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_BAD_RECORD_TYPE:
      return TlsFailure::not_tls;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_UNKNOWN_PROTOCOL:
      return TlsFailure::version;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SHARED_GROUPS:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_SUITABLE_DIGEST_ALGORITHM:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_WRONG_CIPHER_RETURNED:
      return TlsFailure::algorithms;
    case SSL_R_NO_APPLICATION_PROTOCOL:
      return TlsFailure::protocol;
    case SSL_R_EXCESSIVE_MESSAGE_SIZE:
      return TlsFailure::too_large;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return TlsFailure::certificate_missing;
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
    case SSL_R_CA_MD_TOO_WEAK:
    case SSL_R_DH_KEY_TOO_SMALL:
      return TlsFailure::certificate_weak;
    case SSL_R_DECRYPTION_FAILED:
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
#ifdef SSL_R_RECORD_LAYER_FAILURE
    case SSL_R_RECORD_LAYER_FAILURE:  // what OpenSSL 3.2 and later report last
#endif
      return TlsFailure::damaged;
    case SSL_R_TOO_MANY_KEY_UPDATES:
      return TlsFailure::too_many_updates;
    default:
      return TlsFailure::malformed;
  }
}

}  // namespace

TlsInfo facts_of(const SSL& ssl) {
  return {.version = SSL_get_version(&ssl),
          .cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(&ssl)),
          .protocol = protocol_of(ssl),
          .server_name = server_name_of(ssl),
          .is_resumed = SSL_session_reused(&ssl) != 0,
          .client = client_of(ssl)};
}

TlsFailure failure_of(const SSL& ssl, unsigned long code) noexcept {
  const int reason = ERR_GET_REASON(code);
  if (reason == ERR_R_MALLOC_FAILURE || reason == ERR_R_INTERNAL_ERROR || code == 0) {
    return TlsFailure::internal;
  }
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) {
    return TlsFailure::malformed;
  }
  if (reason >= SSL_AD_REASON_OFFSET) {
    return TlsFailure::refused_by_peer;
  }
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return certificate_failure(SSL_get_verify_result(&ssl));
  }
  return handshake_failure(reason);
}

TlsFailure certificate_failure(long code) noexcept {
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TlsFailure::certificate_expired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return TlsFailure::certificate_not_yet_valid;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TlsFailure::certificate_self_signed;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return TlsFailure::certificate_untrusted;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return TlsFailure::certificate_name;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return TlsFailure::certificate_weak;
    case X509_V_ERR_CERT_REVOKED:
      return TlsFailure::certificate_revoked;
    default:
      return TlsFailure::certificate_refused;
  }
}

}  // namespace eider::detail::tls
