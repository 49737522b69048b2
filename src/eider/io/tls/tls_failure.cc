#include "eider/io/tls/tls_failure.h"

namespace eider {

std::string_view text(TlsFailure failure) noexcept {
  switch (failure) {
    case TlsFailure::none:
      return "";
    case TlsFailure::not_tls:
      return "the peer does not speak TLS";
    case TlsFailure::version:
      return "the peer's versions of TLS are not accepted";
    case TlsFailure::algorithms:
      return "there is no cipher suite, group or signature that both sides "
             "accept";
    case TlsFailure::protocol:
      return "there is no application protocol that both sides speak (ALPN)";
    case TlsFailure::too_large:
      return "the handshake is too large";
    case TlsFailure::certificate_missing:
      return "the peer has sent no certificate";
    case TlsFailure::certificate_expired:
      return "the certificate has expired";
    case TlsFailure::certificate_not_yet_valid:
      return "the certificate is not yet valid";
    case TlsFailure::certificate_self_signed:
      return "the certificate is self-signed and not trusted";
    case TlsFailure::certificate_untrusted:
      return "no trusted authority vouches for the certificate";
    case TlsFailure::certificate_name:
      return "the certificate does not match the name";
    case TlsFailure::certificate_weak:
      return "the certificate's key or signature is too weak";
    case TlsFailure::certificate_revoked:
      return "the certificate has been revoked";
    case TlsFailure::certificate_refused:
      return "the certificate is not acceptable";
    case TlsFailure::renegotiation:
      return "the peer wanted to renegotiate";
    case TlsFailure::too_many_updates:
      return "the peer has changed its keys too often";
    case TlsFailure::refused_by_peer:
      return "the peer has refused the connection";
    case TlsFailure::damaged:
      return "a record was damaged or forged";
    case TlsFailure::malformed:
      return "the peer has broken the TLS protocol";
    case TlsFailure::internal:
      break;
  }
  return "TLS failed inside";
}

bool is_about_certificate(TlsFailure failure) noexcept {
  return failure >= TlsFailure::certificate_missing && failure <= TlsFailure::certificate_refused;
}

}  // namespace eider
