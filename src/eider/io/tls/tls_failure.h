// The reasons why a TLS connection failed, as one enum with one table of texts.
// Layering: must not name a library's codes: OpenSSL's message is a separate text.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class TlsFailure : std::uint8_t {
  none,
  not_tls,                    ///< the peer speaks something else, such as plain HTTP
  version,                    ///< no version of TLS that both sides take
  algorithms,                 ///< no cipher suite, group or signature algorithm in common
  protocol,                   ///< no application protocol in common (ALPN, RFC 7301)
  too_large,                  ///< more bytes of handshake than a connection may spend
  certificate_missing,        ///< a certificate is required and the peer has sent none
  certificate_expired,        ///< also of an authority in its chain
  certificate_not_yet_valid,  ///< also of an authority in its chain
  certificate_self_signed,    ///< signed by itself, and not one of those that are trusted
  certificate_untrusted,      ///< no authority that is trusted vouches for it
  certificate_name,           ///< it is for other names than the one that was asked for
  certificate_weak,           ///< its key or its signature is too weak
  certificate_revoked,        ///< its authority has taken it back
  certificate_refused,        ///< wrong in another way
  renegotiation,              ///< the peer wanted to negotiate anew
  too_many_updates,           ///< new keys again and again without a byte between them
  refused_by_peer,            ///< the peer has ended it with an alert
  damaged,                    ///< a record that does not hold what its sender has put in
  malformed,                  ///< messages against the protocol
  internal,                   ///< a lack of memory or of entropy
};

/// One plain sentence without a full stop; empty for `none`.
[[nodiscard]] std::string_view text(TlsFailure failure) noexcept;

/// It is about the peer's certificate: trying again changes nothing.
[[nodiscard]] bool is_about_certificate(TlsFailure failure) noexcept;

}  // namespace eider
