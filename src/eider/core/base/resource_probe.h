// Figures of a process for its state report: pools, logs.
// Layering: must not cost more than its place in a list while no state is requested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace eider {

/// The state of a resource for the state report.
///
/// kind  "database", "log", …
/// name  the name of the resource, without secrets
struct ResourceState {
  std::string kind;
  std::string name;
  std::map<std::string, std::int64_t> numbers;
};

/// Reports the state of an object as long as it lives. Make it the last member of the object, so
/// that no report runs while the object is destroyed.
class ResourceProbe {
 public:
  /// tell  called on any thread; must not create or destroy a ResourceProbe
  explicit ResourceProbe(std::function<ResourceState()> tell);
  ~ResourceProbe();
  ResourceProbe(const ResourceProbe&) = delete;
  ResourceProbe& operator=(const ResourceProbe&) = delete;

  /// Returns the states of the objects in the process, in the order of their creation.
  ///
  /// count_max  the states of later objects are left out
  [[nodiscard]] static std::vector<ResourceState> all(
      std::size_t count_max = std::numeric_limits<std::size_t>::max());

 private:
  std::function<ResourceState()> tell_;
};

}  // namespace eider
