// Whose page caused a request, as browsers tell it.
// Must not decide what follows from it: forgery, compression and WebSockets each ask here.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/request.h"

namespace eider {

enum class SourceSite : std::uint8_t {
  /// The service's own page, or a person who typed the address.
  own,
  /// Another site, also one of the same domain under another name.
  other,
  /// Nothing says so: programs, and browsers older than 2020 in some requests.
  unknown,
};

/// By the first that speaks: Sec-Fetch-Site, which browsers add for https and localhost and no page
/// can forge; Origin, which stands in every write of another site's page; Referer.
///
/// source  Fetch Metadata Request Headers, section 2.3; Fetch, "append a request Origin header"
[[nodiscard]] SourceSite source_site_of(const Request& request);

/// Whether it brings what browsers add by themselves, whoever's page has asked: a cookie, an
/// Authorization by any scheme but Bearer and DPoP, which scripts of the own site add, or the
/// client's certificate.
[[nodiscard]] bool has_ambient_credentials(const Request& request);

/// How a request came here. In the clear both schemes' pages may be the host's own: what ends TLS
/// may stand in front.
enum class AskedOver : std::uint8_t { clear, tls };

/// Whether an origin, scheme://host[:port], is of the host that is asked. The scheme's own port may
/// be left out on both sides. Over TLS a page of http is another's: an attacker in between can have
/// made it.
[[nodiscard]] bool is_same_host(std::string_view origin, std::string_view authority,
                                AskedOver over) noexcept;

}  // namespace eider
