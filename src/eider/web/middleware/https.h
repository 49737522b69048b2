// Redirects to HTTPS, and sets Strict-Transport-Security.
// Layering: must not be used after a proxy that terminates TLS; the proxy does this.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Redirects unencrypted requests to the same target at https, with 308 (RFC 9110, section 15.4.9),
/// which keeps method and body. A request with an invalid Host gets a 400.
///
/// port  port of TLS; 443 is omitted in the location
[[nodiscard]] Hook redirect_to_https(std::uint16_t port = 443);

enum class HstsScope : std::uint8_t { this_host, all_subdomains };

/// Adds Strict-Transport-Security to responses over TLS, so that browsers use only https from then
/// on. The header cannot be revoked before `max_age` has passed: start with an hour.
///
/// source  RFC 6797, section 6.1
[[nodiscard]] Hook hsts(std::chrono::seconds max_age, HstsScope scope = HstsScope::this_host);

}  // namespace eider
