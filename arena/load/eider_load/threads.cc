#include "threads.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

namespace load {

Options share_of(const Options& options, unsigned thread, unsigned threads) {
  Options share = options;
  const unsigned rest = options.connections % threads;
  share.connections = options.connections / threads + (thread < rest ? 1 : 0);
  // By connections, so that each of these is asked as often as every other.
  share.rate = options.rate * share.connections / options.connections;
  share.seed = options.seed + thread;
  return share;
}

Outcome run_on_threads(Run run, const Options& options, const eider::Address& to) {
  const unsigned count = std::min(options.threads, options.connections);
  std::vector<Outcome> outcomes(count);
  std::vector<std::exception_ptr> failures(count);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        try {
          outcomes[i] = run(share_of(options, i, count), to);
        } catch (...) {
          failures[i] = std::current_exception();
        }
      });
    }
  }
  Outcome sum;
  for (unsigned i = 0; i < count; ++i) {
    if (failures[i]) {
      std::rethrow_exception(failures[i]);
    }
    sum.add(outcomes[i]);
  }
  return sum;
}

}  // namespace load
