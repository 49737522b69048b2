#include "events.h"

#include <algorithm>
#include <string>

#include "eider/runtime/sleep.h"
#include "eider/runtime/task.h"
#include "fleet.h"
#include "shared.h"

namespace load {

namespace {

using eider::Instant;
using eider::Task;

constexpr std::uint64_t kBesidesDigits = std::string_view("data: \n\n").size();

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

/// What a stream must be, and how it is asked for.
Options for_streams(const Options& options) {
  Options made = options;
  made.expected.body = stream_text(options.events);
  made.expected.body_bytes = made.expected.body->size();
  made.fields.emplace_back("Accept: text/event-stream");
  return made;
}

class Events final : private FleetUser {
 public:
  Events(const Options& options, const eider::Address& to)
      : options_(for_streams(options)),
        request_(request_bytes(options_)),
        fleet_(options_, to, outcome_.failures, *this) {}

  Task<Outcome> run() {
    co_await fleet_.open_all();
    const Instant start = clock_now();
    fleet_.start();
    co_await eider::sleep_for(options_.duration);
    outcome_.took = clock_now() - start;
    count_unfinished();
    co_return std::move(outcome_);
  }

 private:
  void count_unfinished() {
    for (const KeptConnection& connection : fleet_.connections()) {
      outcome_.requests += events_within(connection.right_body_bytes(), options_.events);
      if (!connection.is_right_so_far()) {
        outcome_.failures.add(Failure::wrong_body, "an event differs from what it must be");
      }
    }
  }
  void on_free(KeptConnection& connection) override { connection.send(request_, 1, clock_now()); }
  void on_good(KeptConnection& connection) override {
    outcome_.requests += options_.events;
    outcome_.latency.add(static_cast<std::uint64_t>((clock_now() - connection.sent()).count()));
  }
  void on_failed(KeptConnection&) override {}

  const Options options_;
  const std::string request_;
  Outcome outcome_;
  Fleet fleet_;
};

}  // namespace

std::string stream_text(unsigned events) {
  std::string text;
  for (unsigned i = 0; i < events; ++i) {
    text += "data: " + std::to_string(i) + "\n\n";
  }
  return text;
}

std::uint64_t events_within(std::uint64_t bytes, unsigned events) noexcept {
  std::uint64_t count = 0;
  std::uint64_t first_longer = 10;  // the first number with a digit more
  for (std::uint64_t digits = 1; count < events; ++digits, first_longer *= 10) {
    const std::uint64_t event_bytes = kBesidesDigits + digits;
    const std::uint64_t alike = std::min<std::uint64_t>(first_longer, events) - count;
    const std::uint64_t whole = std::min(alike, bytes / event_bytes);
    count += whole;
    bytes -= whole * event_bytes;
    if (whole < alike) {
      break;
    }
  }
  return count;
}

Outcome run_events(const Options& options, const eider::Address& to) {
  Outcome outcome;
  run_on_loop(options.backend, [&]() -> Task<> {
    Events events(options, to);
    Task<Outcome> run = events.run();
    outcome = co_await std::move(run);
  });
  return outcome;
}

}  // namespace load
