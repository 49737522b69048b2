// The number of connections of a pool, for features that divide them.
// Layering: must not know a driver.
#pragma once

#include <cstddef>

namespace eider::db {

/// Implemented by pools with several connections for transactions on each event loop. Other pools
/// have one writer.
class ConnectionLimit {
 public:
  [[nodiscard]] virtual std::size_t connections_max() const noexcept = 0;

 protected:
  ~ConnectionLimit() = default;
};

}  // namespace eider::db
