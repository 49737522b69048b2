// Numbers of what a process has beside its loops, told with its state: pools, logs.
// Must not cost what is never asked more than its place in a list.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace eider {

/// kind  "database", "log", …
/// name  which of them, without anything secret
struct ResourceState {
  std::string kind;
  std::string name;
  std::map<std::string, std::int64_t> numbers;
};

/// Tells what it is given for as long as it lives. To be the last member of what is told about, so
/// that nobody asks while that ends.
class Inspected {
 public:
  /// tell  called on any thread; makes and ends none of these
  explicit Inspected(std::function<ResourceState()> tell);
  ~Inspected();
  Inspected(const Inspected&) = delete;
  Inspected& operator=(const Inspected&) = delete;

  /// The first hundred of the process, in the order in which they were made.
  [[nodiscard]] static std::vector<ResourceState> all();

 private:
  std::function<ResourceState()> tell_;
};

}  // namespace eider
