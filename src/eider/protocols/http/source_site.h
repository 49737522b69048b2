// The site whose page caused a request, as browsers report it.
// Layering: must not decide the consequence: CSRF protection, compression and WebSockets do.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/request.h"

namespace eider {

enum class SourceSite : std::uint8_t {
  /// The service's own page, or a user who entered the URL.
  own,
  /// Another site, even if it has the same domain with another host name.
  other,
  /// Not known: programs, and browsers older than 2020 in some requests.
  unknown,
};

/// Returns the site by the first of these headers: Sec-Fetch-Site, which browsers add for https and
/// localhost and pages cannot forge; Origin, which is in every write of another site's page;
/// Referer.
///
/// source  Fetch Metadata Request Headers, section 2.3; Fetch, "append a request Origin header"
[[nodiscard]] SourceSite source_site_of(const Request& request);

/// How a request arrived. Without TLS, pages of both schemes may be the host's own: a proxy in
/// front may use TLS.
enum class AskedOver : std::uint8_t { clear, tls };

/// The host of a request and the scheme, as the client has sent them.
struct RequestedSite {
  std::string_view host;
  AskedOver over;
};

/// Returns the Host of the request, or that of X-Forwarded-Host or Forwarded, if a proxy sends it
/// that the app trusts.
[[nodiscard]] RequestedSite requested_site_of(const Request& request);

/// Returns whether the request has credentials that browsers add automatically for the page of any
/// site: a cookie, an Authorization with another scheme than Bearer and DPoP, which scripts of the
/// own site add, or a client certificate.
[[nodiscard]] bool has_ambient_credentials(const Request& request);

/// Returns whether an origin, scheme://host[:port], is of the requested host. The scheme's default
/// port may be omitted on both sides. Over TLS, an http page is another site: an attacker in the
/// network could have made it.
[[nodiscard]] bool is_same_host(std::string_view origin, std::string_view authority,
                                AskedOver over) noexcept;

}  // namespace eider
