// Counts the connections of each client over all event loops.
// Layering: must not know connections: they return their places.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "eider/protocols/http/ip_address.h"

namespace eider::detail::server {

/// Returns the maximum number of connections of this client; 0: unlimited. The default limit
/// applies only to clients that connect directly from another machine.
///
/// is_proxied  proxies connect for the clients, or send their addresses
[[nodiscard]] std::size_t connections_max_of(const IpAddress& client, std::size_t limit,
                                             bool is_proxied) noexcept;

/// A client is an IPv4 address, or the /64 of an IPv6 address, because whoever has one address of a
/// /64 has all of them (RFC 6177).
class PerAddress {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNoPlace = UINT32_MAX;

  /// Counts one more connection of the client; nothing if it has its maximum. From any thread.
  [[nodiscard]] std::optional<Place> try_take(const IpAddress& address,
                                              std::size_t connections_max);
  /// Pre: taken, and not given back.
  void give_back(Place place) noexcept;

 private:
  struct Client {
    std::uint64_t bytes = 0;
    bool is_v4 = false;
    friend auto operator<=>(const Client&, const Client&) = default;
  };
  struct Entry {
    Client client;
    std::size_t connections = 0;
  };

  static Client client_of(const IpAddress& address) noexcept;
  [[nodiscard]] Place place_of(const Client& client);

  std::mutex counting_;
  std::map<Client, Place>
      places_;                  // clients with connections; not hashed, against collision attacks
  std::vector<Entry> entries_;  // a place is 4 bytes, because each connection stores one
  std::vector<Place> spare_;
};

}  // namespace eider::detail::server
