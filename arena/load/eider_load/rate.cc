#include "rate.h"

#include <algorithm>
#include <deque>
#include <string>

#include "eider/runtime/sleep.h"
#include "eider/runtime/task.h"
#include "fleet.h"
#include "shared.h"

namespace load {

namespace {

using eider::Instant;
using eider::Task;

// So that answers are read between bursts of an overdue schedule.
constexpr int kDuePerTurnMax = 256;
constexpr eider::Duration kLead = std::chrono::milliseconds(5);
constexpr eider::Duration kDrainLook = std::chrono::milliseconds(2);

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

std::uint64_t nanoseconds(eider::Duration duration) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, duration.count()));
}

class Rate final : private FleetUser, private PreciseTimer {
 public:
  Rate(const Options& options, const eider::Address& to)
      : PreciseTimer(eider::Loop::current()),
        options_(options),
        request_(request_bytes(options)),
        schedule_(options.arrivals, options.rate, options.seed),
        fleet_(options, to, outcome_.failures, *this) {}

  Task<Outcome> run() {
    co_await fleet_.open_all();
    start_ = clock_now() + kLead;
    last_answer_ = start_;
    end_ = start_ + options_.duration;
    fleet_.start();
    next_due_ = start_ + schedule_.next();
    wake_at(next_due_);
    co_await eider::sleep_until(end_);
    const Instant latest = end_ + options_.timeout;
    while (!is_done() && clock_now() < latest) {
      co_await eider::sleep_for(kDrainLook);
    }
    finish();
    co_return std::move(outcome_);
  }

 private:
  [[nodiscard]] bool is_done() const {
    return next_due_ >= end_ && overdue_.empty() && fleet_.waiting() == 0;
  }

  void finish() {
    stop();
    overdue_without_connection();
    fleet_.end();
    outcome_.took = last_answer_ - start_;
  }

  void overdue_without_connection() {
    outcome_.unsent = overdue_.size();
    for (const Instant due : overdue_) {
      outcome_.latency.add(nanoseconds(clock_now() - due));
    }
    overdue_.clear();
  }

  void on_wake() override {
    Instant now = clock_now();
    for (int i = 0; i < kDuePerTurnMax && next_due_ <= now && next_due_ < end_; ++i) {
      outcome_.lateness.add(nanoseconds(now - next_due_));
      overdue_.push_back(next_due_);
      send_overdue();
      next_due_ = start_ + schedule_.next();
      now = clock_now();
    }
    if (next_due_ < end_) {
      wake_at(next_due_);
    }
  }

  void send_overdue() {
    while (!overdue_.empty() && !free_.empty()) {
      KeptConnection* connection = free_.front();
      free_.pop_front();
      // It may have been lost since, or stand here twice for having been lost and opened again.
      if (connection->is_open() && connection->waiting() == 0) {
        connection->send(request_, 1, overdue_.front());
        overdue_.pop_front();
      }
    }
  }

  void on_free(KeptConnection& connection) override {
    free_.push_back(&connection);
    send_overdue();
  }

  void on_good(KeptConnection& connection) override {
    last_answer_ = clock_now();
    ++outcome_.requests;
    outcome_.latency.add(nanoseconds(last_answer_ - connection.due()));
    outcome_.uncorrected.add(nanoseconds(last_answer_ - connection.sent()));
  }

  void on_failed(KeptConnection& connection) override {
    outcome_.latency.add(nanoseconds(clock_now() - connection.due()));
  }

  const Options& options_;
  const std::string request_;
  Outcome outcome_;
  Schedule schedule_;
  std::deque<Instant> overdue_;
  std::deque<KeptConnection*> free_;  // the one that has rested longest first
  Instant start_;
  Instant end_;
  Instant next_due_;
  Instant last_answer_;
  Fleet fleet_;
};

}  // namespace

Outcome run_rate(const Options& options, const eider::Address& to) {
  Outcome outcome;
  run_on_loop(options.backend, [&]() -> Task<> {
    Rate rate(options, to);
    outcome = co_await rate.run();
  });
  return outcome;
}

}  // namespace load
