#include "closed.h"

#include <string>

#include "eider/runtime/sleep.h"
#include "eider/runtime/task.h"
#include "fleet.h"
#include "shared.h"

namespace load {

namespace {

using eider::Instant;
using eider::Task;

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

class Closed final : private FleetUser {
 public:
  Closed(const Options& options, const eider::Address& to)
      : options_(options), fleet_(options, to, outcome_.failures, *this) {
    for (unsigned i = 0; i < options.depth; ++i) {
      requests_ += request_bytes(options);
    }
  }

  Task<Outcome> run() {
    co_await fleet_.open_all();
    const Instant start = clock_now();
    fleet_.start();
    co_await eider::sleep_for(options_.duration);
    outcome_.took = clock_now() - start;
    co_return std::move(outcome_);
  }

 private:
  void on_free(KeptConnection& connection) override {
    connection.send(requests_, options_.depth, clock_now());
  }
  void on_good(KeptConnection& connection) override {
    ++outcome_.requests;
    outcome_.latency.add(static_cast<std::uint64_t>((clock_now() - connection.sent()).count()));
  }
  void on_failed(KeptConnection&) override {}

  const Options& options_;
  std::string requests_;
  Outcome outcome_;
  Fleet fleet_;
};

}  // namespace

Outcome run_closed(const Options& options, const eider::Address& to) {
  Outcome outcome;
  run_on_loop(options.backend, [&]() -> Task<> {
    Closed closed(options, to);
    outcome = co_await closed.run();
  });
  return outcome;
}

}  // namespace load
