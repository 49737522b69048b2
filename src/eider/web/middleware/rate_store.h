// Where several processes count together how often one client asks.
// Must not know requests: what is counted is a key, any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class RateAlgorithm : std::uint8_t {
  /// All at once, and then as fast as the bucket fills.
  token_bucket,
  /// No more within any `per`, as far as two counts tell.
  sliding_window,
};

struct RateTerms {
  RateAlgorithm algorithm = RateAlgorithm::token_bucket;
  std::uint32_t requests = 0;
  Duration per = {};
};

/// remaining  further ones that would be admitted now
/// wait       until the next one is; zero where it is at once
struct RateAnswer {
  bool is_admitted;
  std::uint32_t remaining;
  Duration wait;
};

/// Called from every loop. redis_rates is one.
class RateStore {
 public:
  virtual ~RateStore() = default;

  /// Counts one more of that key, in one step.
  ///
  /// returns  nothing where it does not know: each process then counts for itself. It ends within
  ///          a fraction of a second, whatever becomes of the network, and throws nothing
  [[nodiscard]] virtual Task<std::optional<RateAnswer>> take(std::string key, RateTerms terms) = 0;
};

}  // namespace eider
