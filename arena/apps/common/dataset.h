// The items of HttpArena's profile json, for adapters in C++.
// Must not read or write JSON: each peer does so by what its users take.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "adapter.h"

namespace arena {

inline constexpr const char* kDatasetName = "/dataset.json";

/// How many of `all` items the count in the path means; nothing for what is no number.
inline std::optional<std::size_t> items_asked(std::string_view count, std::size_t all) {
  const auto asked = number(count, 1'000'000'000);
  return asked ? std::optional(std::clamp<std::size_t>(*asked, 1, all)) : std::nullopt;
}

inline std::int64_t total_of(int price, int quantity, int multiplier) {
  return std::int64_t{price} * quantity * multiplier;
}

}  // namespace arena
