#include "eider/io/tls/tls_failure.h"

namespace eider {

std::string_view text(TlsFailure failure) noexcept {
  switch (failure) {
    case TlsFailure::none:
      return "";
    case TlsFailure::not_tls:
      return "the peer does not use TLS";
    case TlsFailure::version:
      return "the peer's TLS versions are not supported";
    case TlsFailure::algorithms:
      return "both sides have no cipher suite, group or signature algorithm in common";
    case TlsFailure::protocol:
      return "both sides have no application protocol in common (ALPN)";
    case TlsFailure::too_large:
      return "the handshake is too large";
    case TlsFailure::certificate_missing:
      return "the peer did not send a certificate";
    case TlsFailure::certificate_expired:
      return "the certificate has expired";
    case TlsFailure::certificate_not_yet_valid:
      return "the certificate is not yet valid";
    case TlsFailure::certificate_self_signed:
      return "the certificate is self-signed and not trusted";
    case TlsFailure::certificate_untrusted:
      return "the certificate is not signed by a trusted authority";
    case TlsFailure::certificate_name:
      return "the certificate does not match the name";
    case TlsFailure::certificate_weak:
      return "the certificate's key or signature is too weak";
    case TlsFailure::certificate_revoked:
      return "the certificate is revoked";
    case TlsFailure::certificate_refused:
      return "the certificate is not acceptable";
    case TlsFailure::renegotiation:
      return "the peer requested renegotiation";
    case TlsFailure::too_many_updates:
      return "the peer updated its keys too often";
    case TlsFailure::refused_by_peer:
      return "the peer rejected the connection";
    case TlsFailure::damaged:
      return "a record was damaged or forged";
    case TlsFailure::malformed:
      return "the peer violated the TLS protocol";
    case TlsFailure::internal:
      break;
  }
  return "TLS failed internally";
}

bool is_about_certificate(TlsFailure failure) noexcept {
  return failure >= TlsFailure::certificate_missing && failure <= TlsFailure::certificate_refused;
}

}  // namespace eider
