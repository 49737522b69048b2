// The shared state of the copies of one Redis: target and connections per event loop.
// Layering: must not know single calls.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "eider/data/redis/cluster.h"
#include "eider/data/redis/link.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/loop_local.h"

namespace eider::redis::detail {

/// The connections of one loop.
class LoopLines {
 public:
  explicit LoopLines(const std::shared_ptr<const Settings>& settings);

  /// Returns the connection with the fewest calls.
  [[nodiscard]] Link& least_busy() noexcept;
  /// Owners of separate connections keep it, because at the end of the loop either may be destroyed
  /// first.
  [[nodiscard]] const std::shared_ptr<net::Net>& net() const noexcept { return net_; }
  /// Returns null if it is not a cluster.
  [[nodiscard]] Cluster* cluster() noexcept { return cluster_.get(); }

 private:
  std::shared_ptr<net::Net> net_;
  std::vector<std::unique_ptr<Link>> links_;
  std::unique_ptr<Cluster> cluster_;
};

struct State {
  std::shared_ptr<const Settings> settings;
  LoopLocal<LoopLines> lines;
};

/// errors  RedisFailure(open), thrown: invalid URL or option, or a TLS file cannot be read
[[nodiscard]] std::shared_ptr<State> make_state(std::string_view url, RedisOptions options);

}  // namespace eider::redis::detail
