// Where a pattern ends: the methods that are answered there, and by which endpoints.
// Must not know how a path got here.
#pragma once

#include <cstdint>
#include <vector>

#include "eider/route/method_set.h"

namespace eider::route {

struct Leaf {
  MethodSet methods;
  /// Index of the first method's endpoint; the others follow in the order of the enum.
  std::uint32_t first_endpoint = 0;
};

/// The endpoints of all leaves, one after the other.
class Endpoints {
 public:
  /// Pre: leaf.methods.contains(method).
  [[nodiscard]] std::uint32_t of(const Leaf& leaf, Method method) const noexcept {
    return endpoints_[leaf.first_endpoint + leaf.methods.rank(method)];
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(endpoints_.size());
  }
  void push(std::uint32_t endpoint) { endpoints_.push_back(endpoint); }

 private:
  std::vector<std::uint32_t> endpoints_;
};

}  // namespace eider::route
