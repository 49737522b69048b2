#include "eider/server/per_address.h"

#include <algorithm>
#include <span>

#include "eider/server/limits.h"

namespace eider::detail::server {

namespace {

/// 127.0.0.0/8 and ::1.
bool is_this_machine(const IpAddress& address) noexcept {
  constexpr std::uint8_t kFirst = 127;
  const std::span<const std::uint8_t> bytes = address.bytes();
  if (address.is_v4()) {
    return bytes.front() == kFirst;
  }
  const auto rest = bytes.first(bytes.size() - 1);
  return bytes.back() == 1 &&
         std::ranges::all_of(rest, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::size_t connections_max_of(const IpAddress& client, std::size_t limit,
                               bool is_proxied) noexcept {
  const bool is_default = limit == kConnectionsPerAddressDefault;
  return is_default && (is_proxied || is_this_machine(client)) ? 0 : limit;
}

PerAddress::Client PerAddress::client_of(const IpAddress& address) noexcept {
  constexpr std::size_t kNetworkBytes = 8;
  Client client{.is_v4 = address.is_v4()};
  const auto bytes = address.bytes();
  for (const std::uint8_t byte : bytes.first(std::min(bytes.size(), kNetworkBytes))) {
    client.bytes = client.bytes << 8U | byte;
  }
  return client;
}

PerAddress::Place PerAddress::place_of(const Client& client) {
  const auto found = places_.find(client);
  if (found != places_.end()) {
    return found->second;
  }
  if (spare_.empty()) {
    spare_.reserve(entries_.size() + 1);  // so that give_back needs no memory
    spare_.push_back(static_cast<Place>(entries_.size()));
    entries_.emplace_back();
  }
  const Place place = spare_.back();
  // Insert the client before taking the place, so that a lack of memory changes nothing.
  places_.emplace(client, place);
  spare_.pop_back();
  entries_[place].client = client;
  return place;
}

std::optional<PerAddress::Place> PerAddress::try_take(const IpAddress& address,
                                                      std::size_t connections_max) {
  const std::lock_guard lock(counting_);
  const Place place = place_of(client_of(address));
  if (entries_[place].connections >= connections_max) {
    return std::nullopt;
  }
  ++entries_[place].connections;
  return place;
}

void PerAddress::give_back(Place place) noexcept {
  const std::lock_guard lock(counting_);
  Entry& entry = entries_[place];
  if (--entry.connections == 0) {
    // Erase a client without connections, or the map would grow with each new address.
    places_.erase(entry.client);
    spare_.push_back(place);
  }
}

}  // namespace eider::detail::server
