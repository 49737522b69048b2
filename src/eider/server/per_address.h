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

/// How many connections that client may have; 0: any number. The default limit is for clients that
/// connect directly from another machine.
///
/// is_proxied  proxies connect for the clients, or tell their addresses
[[nodiscard]] std::size_t connections_max_of(const IpAddress& client, std::size_t limit,
                                             bool is_proxied) noexcept;

/// A client is an IPv4 address, or the /64 of an IPv6 one: whoever has one of these has all of it
/// (RFC 6177).
class PerAddress {
 public:
  using Place = std::uint32_t;
  static constexpr Place kNoPlace = UINT32_MAX;

  /// Counts one more of that client's; nothing when it has as many as it may. From any thread.
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
  std::map<Client, Place> places_;  // of clients with connections; no hash that one could aim at
  std::vector<Entry> entries_;      // four bytes name one, since each connection keeps that
  std::vector<Place> spare_;
};

}  // namespace eider::detail::server
