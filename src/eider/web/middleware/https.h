// What makes clients stay with https: the redirect, and the promise to browsers.
// Must not be used behind a proxy that speaks TLS for this service: it is the proxy's to say.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Requests in the clear are sent to the same target at https, with 308 (RFC 9110, section 15.4.9):
/// method and content stay. A request whose Host cannot be read is a 400.
///
/// port  where TLS is spoken; 443 is left out of the location
[[nodiscard]] Hook redirect_to_https(std::uint16_t port = 443);

enum class HstsScope : std::uint8_t { this_host, all_subdomains };

/// Answers over TLS carry Strict-Transport-Security, by which a browser asks only for https from
/// then on. It cannot be taken back before `max_age` has passed: begin with an hour.
///
/// source  RFC 6797, section 6.1
[[nodiscard]] Hook hsts(std::chrono::seconds max_age, HstsScope scope = HstsScope::this_host);

}  // namespace eider
