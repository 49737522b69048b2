// The reasons why a TLS connection failed, as one enum with one table of texts.
// Layering: must not name a library's codes: OpenSSL's message is a separate text.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class TlsFailure : std::uint8_t {
  none,
  not_tls,                    ///< the peer uses another protocol, such as plain HTTP
  version,                    ///< no version of TLS that both sides support
  algorithms,                 ///< no cipher suite, group or signature algorithm in common
  protocol,                   ///< no application protocol in common (ALPN, RFC 7301)
  too_large,                  ///< the handshake has more bytes than allowed
  certificate_missing,        ///< a certificate is required, and the peer has sent none
  certificate_expired,        ///< or an authority in its chain has expired
  certificate_not_yet_valid,  ///< or an authority in its chain is not yet valid
  certificate_self_signed,    ///< signed by itself, and not trusted
  certificate_untrusted,      ///< not signed by a trusted authority
  certificate_name,           ///< it is for other names than the requested one
  certificate_weak,           ///< its key or its signature is too weak
  certificate_revoked,        ///< its authority has revoked it
  certificate_refused,        ///< invalid for another reason
  renegotiation,              ///< the peer requested a renegotiation
  too_many_updates,           ///< too many key updates without data between them
  refused_by_peer,            ///< the peer ended the connection with an alert
  damaged,                    ///< a record failed its integrity check
  malformed,                  ///< messages that violate the protocol
  internal,                   ///< memory or entropy is missing
};

/// Returns one plain sentence without a period; empty for `none`.
[[nodiscard]] std::string_view text(TlsFailure failure) noexcept;

/// Returns whether the failure is about the peer's certificate: a retry would not help.
[[nodiscard]] bool is_about_certificate(TlsFailure failure) noexcept;

}  // namespace eider
