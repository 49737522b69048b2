// A table of bounded size with an entry for each of many keys.
// Layering: must not know the entries or lock; its user does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/base/sip_hash.h"

namespace eider::detail::middleware {

/// A hash table without chains: each hash has a set of eight places, and the least valuable entry
/// of the set is replaced. So any number of keys that occur once, such as an attacker's many
/// addresses, fits, and busy keys stay. A key that lost its place counts as new. The hash has a
/// random key, so that attackers cannot aim at another key's place.
///
/// The kernel provides zeroed memory page by page as places are used, so an unused table needs no
/// memory.
///
/// Place  has a `std::uint64_t hash`, 0 if the place is free; a new one consists of zero bytes
template <class Place>
class PlaceTable {
 public:
  /// keys_max  rounded up to a power of two of at least eight
  explicit PlaceTable(std::size_t keys_max)
      : count_(std::bit_ceil(std::max(keys_max, kWays))),
        places_(static_cast<Place*>(std::calloc(count_, sizeof(Place)))) {
    if (places_ == nullptr) {
      throw std::bad_alloc();
    }
  }

  [[nodiscard]] std::uint64_t hash_of(std::string_view key) const noexcept {
    return std::max<std::uint64_t>(sip_hash(key_, key), 1);
  }
  /// Returns the number of a hash's set. The user locks all accesses to one set with the same lock.
  [[nodiscard]] std::size_t set_of(std::uint64_t hash) const noexcept {
    return (hash >> 32U) % (count_ / kWays);
  }
  /// Returns null if the hash has no place.
  [[nodiscard]] Place* find(std::uint64_t hash) noexcept {
    const auto set = places_of(hash);
    const auto found = std::ranges::find(set, hash, &Place::hash);
    return found == set.end() ? nullptr : &*found;
  }
  /// Returns the place of the hash; a new one gets `fresh`, and replaces the place with the
  /// smallest `worth(place)`.
  template <class Worth>
  [[nodiscard]] Place& find_or_put(Place fresh, Worth worth) {
    if (Place* found = find(fresh.hash)) {
      return *found;
    }
    Place& least = *std::ranges::min_element(places_of(fresh.hash), {}, std::move(worth));
    least = std::move(fresh);
    return least;
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return count_ * sizeof(Place); }

 private:
  static_assert(std::is_trivially_copyable_v<Place> && alignof(Place) <= alignof(std::max_align_t));
  static constexpr std::size_t kWays = 8;

  struct Free {
    void operator()(Place* places) const noexcept { std::free(places); }
  };

  [[nodiscard]] std::span<Place> places_of(std::uint64_t hash) noexcept {
    return std::span(places_.get(), count_).subspan(set_of(hash) * kWays, kWays);
  }

  const SipKey key_ = SipKey::random();
  const std::size_t count_;
  const std::unique_ptr<Place[], Free> places_;
};

}  // namespace eider::detail::middleware
