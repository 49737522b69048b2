// The IP addresses that count as one client.
// Layering: must not be included by applications.
#pragma once

#include <optional>
#include <string>

#include "eider/protocols/http/ip_address.h"

namespace eider::detail::middleware {

/// Returns the bytes of an IPv4 address, or of the first `ipv6_prefix_bits` of an IPv6 address;
/// "unknown" without an address. Pre: ipv6_prefix_bits <= 128.
[[nodiscard]] std::string network_of(const std::optional<IpAddress>& address,
                                     unsigned ipv6_prefix_bits);

}  // namespace eider::detail::middleware
