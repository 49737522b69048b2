// The end of a pattern: its methods and their endpoints.
// Layering: must not know how a path got here.
#pragma once

#include <cstdint>
#include <vector>

#include "eider/protocols/route/method_set.h"

namespace eider::route {

struct Leaf {
  MethodSet methods;
  /// Whether all methods have the same endpoint, such as GET and HEAD. It is then stored here,
  /// which saves a memory access.
  bool is_single = false;
  /// The endpoint, or else the index of the first method's endpoint; the others follow in the order
  /// of the enum.
  std::uint32_t endpoint = 0;
};

/// The endpoints of all leaves, in one array.
class Endpoints {
 public:
  /// Pre: leaf.methods.contains(method).
  [[nodiscard]] std::uint32_t of(const Leaf& leaf, Method method) const noexcept {
    return leaf.is_single ? leaf.endpoint : endpoints_[leaf.endpoint + leaf.methods.rank(method)];
  }
  /// endpoints  one per method, in the order of the enum
  [[nodiscard]] Leaf add(MethodSet methods, const std::vector<std::uint32_t>& endpoints) {
    const auto first = static_cast<std::uint32_t>(endpoints_.size());
    for (const std::uint32_t endpoint : endpoints) {
      if (endpoint != endpoints.front()) {
        endpoints_.insert(endpoints_.end(), endpoints.begin(), endpoints.end());
        return {methods, false, first};
      }
    }
    return {methods, true, endpoints.front()};
  }

 private:
  std::vector<std::uint32_t> endpoints_;
};

}  // namespace eider::route
