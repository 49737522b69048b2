// The interface of request counters that several processes share.
// Layering: must not know requests; a key is any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class RateAlgorithm : std::uint8_t {
  /// Allows all requests at once, and then as many as the bucket fills.
  token_bucket,
  /// Allows at most `requests` within any `per`, approximated with two counters.
  sliding_window,
};

struct RateTerms {
  RateAlgorithm algorithm = RateAlgorithm::token_bucket;
  std::uint32_t requests = 0;
  Duration per = {};
};

/// remaining  further requests that would be admitted now
/// wait       time until the next one is admitted; zero if immediately
struct RateDecision {
  bool is_admitted;
  std::uint32_t remaining;
  Duration wait;
};

/// A store of counters, such as redis_rates. All event loops call it.
class RateStore {
 public:
  virtual ~RateStore() = default;

  /// Counts one more request of the key, in one step.
  ///
  /// returns  nothing if the store is not available: each process then counts separately; must end
  ///          within a fraction of a second, also if the network fails, and must not throw
  [[nodiscard]] virtual Task<std::optional<RateDecision>> take(std::string key,
                                                               RateTerms terms) = 0;
};

}  // namespace eider
