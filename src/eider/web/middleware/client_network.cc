#include "eider/web/middleware/client_network.h"

#include <cstdint>

namespace eider::detail::middleware {

std::string network_of(const std::optional<IpAddress>& address, unsigned ipv6_prefix_bits) {
  if (!address) {
    return "unknown";
  }
  std::string network;
  unsigned left = address->is_v4() ? 32 : ipv6_prefix_bits;
  for (const std::uint8_t byte : address->bytes()) {
    const unsigned kept = left < 8 ? left : 8;
    network.push_back(static_cast<char>(byte & (0xFF00U >> kept)));
    left -= kept;
  }
  return network;
}

}  // namespace eider::detail::middleware
