// For how long statements were waited for lately, by their texts: what goes together is quick.
// Must not grow, nor be asked by two threads.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>

#include "eider/runtime/time.h"

namespace eider::db {

class StatementCosts {
 public:
  void note(std::string_view sql, Duration took) noexcept {
    const std::size_t hash = std::hash<std::string_view>()(sql);
    Cost& cost = costs_[hash % costs_.size()];
    // Of those that meet at one place the last one is known.
    cost = {.hash = hash, .took = cost.hash == hash ? (cost.took * 3 + took) / 4 : took};
  }
  void forget(std::string_view sql) noexcept {
    const std::size_t hash = std::hash<std::string_view>()(sql);
    costs_[hash % costs_.size()] = {};
  }
  /// The maximum for a text that was not noted.
  [[nodiscard]] Duration of(std::string_view sql) const noexcept {
    const std::size_t hash = std::hash<std::string_view>()(sql);
    const Cost& cost = costs_[hash % costs_.size()];
    return cost.hash == hash ? cost.took : Duration::max();
  }

 private:
  struct Cost {
    std::size_t hash = 0;
    Duration took = Duration::max();
  };

  std::array<Cost, 256> costs_{};
};

}  // namespace eider::db
