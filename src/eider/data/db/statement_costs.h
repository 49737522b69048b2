// Recent durations of statements by text, to send fast ones together.
// Layering: must not grow, and must not be used by two threads.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>

#include "eider/io/runtime/time.h"

namespace eider::db {

class StatementCosts {
 public:
  void note(std::string_view sql, Duration took) noexcept {
    Cost& cost = at(sql);
    const bool is_known = cost.hash == hash_of(sql);
    // Of those that meet at one place the last one is known.
    cost = {.hash = hash_of(sql), .took = is_known ? (cost.took * 3 + took) / 4 : took};
  }
  void forget(std::string_view sql) noexcept { at(sql) = {}; }
  /// The maximum for a text that was not noted.
  [[nodiscard]] Duration of(std::string_view sql) noexcept {
    const Cost& cost = at(sql);
    return cost.hash == hash_of(sql) ? cost.took : Duration::max();
  }

 private:
  struct Cost {
    std::size_t hash = 0;
    Duration took = Duration::max();
  };

  /// No text has that of an empty place.
  static std::size_t hash_of(std::string_view sql) noexcept {
    return std::hash<std::string_view>()(sql) | 1U;
  }
  Cost& at(std::string_view sql) noexcept { return costs_[(hash_of(sql) >> 1U) % costs_.size()]; }

  std::array<Cost, 256> costs_{};
};

}  // namespace eider::db
