// Parts of the client that client.h tells all about, for what asks one of each request.
// Must not be included by applications: Client says it.
#pragma once

#include <optional>
#include <string>

#include "eider/protocols/http/ip_address.h"
#include "eider/protocols/http/request.h"

namespace eider {

struct ProxyTrust;

/// As Client::address; nothing where nobody knows.
[[nodiscard]] std::optional<IpAddress> client_address_of(const Request& request,
                                                         const ProxyTrust& trust);

/// Client::scheme and Client::host: "https://app.example".
[[nodiscard]] std::string client_origin_of(const Request& request, const ProxyTrust& trust);

}  // namespace eider
