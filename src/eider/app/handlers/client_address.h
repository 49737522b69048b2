// Parts of ClientInfo (client.h) that other code of the library needs for each request.
// Layering: must not be included by applications, which use ClientInfo.
#pragma once

#include <optional>
#include <string>

#include "eider/protocols/http/ip_address.h"
#include "eider/protocols/http/request.h"

namespace eider {

struct ProxyTrust;

/// Returns ClientInfo::address, or nothing if the address is unknown.
[[nodiscard]] std::optional<IpAddress> client_address_of(const Request& request,
                                                         const ProxyTrust& trust);

/// Returns ClientInfo::scheme and ClientInfo::host: "https://app.example".
[[nodiscard]] std::string client_origin_of(const Request& request, const ProxyTrust& trust);

}  // namespace eider
