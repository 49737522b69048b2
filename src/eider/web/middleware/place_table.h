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

/// Eight places for each hash, of which the one that says least is given away: of keys that come
/// once, such as an attacker's many addresses, any number fits, and a key that is busy stays. Who
/// loses its place is as one that nobody has seen. The hash has a key, so that nobody can aim at
/// another's place.
///
/// The memory comes zeroed from the kernel, page by page as places are used: a table that nothing
/// uses takes none.
///
/// Place  has a `std::uint64_t hash`, 0 where it is nobody's; a new one consists of zero bytes
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
  /// Which places a hash shares: two of the same set are to be locked by the same lock.
  [[nodiscard]] std::size_t set_of(std::uint64_t hash) const noexcept {
    return (hash >> 32U) % (count_ / kWays);
  }
  /// Null where it has none.
  [[nodiscard]] Place* find(std::uint64_t hash) noexcept {
    const auto set = places_of(hash);
    const auto found = std::ranges::find(set, hash, &Place::hash);
    return found == set.end() ? nullptr : &*found;
  }
  /// Its own, or `fresh` in place of the one of which `worth(place)` is least.
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
