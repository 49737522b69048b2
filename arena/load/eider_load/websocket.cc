#include "websocket.h"

#include <algorithm>
#include <string>
#include <vector>

#include "eider/runtime/sleep.h"
#include "eider/runtime/task.h"
#include "shared.h"
#include "stamped_text.h"
#include "ws_fleet.h"

namespace load {

namespace {

using eider::Instant;
using eider::Task;

constexpr eider::Duration kDrainLook = std::chrono::milliseconds(2);

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

/// What one connection waits for.
struct Turn {
  Instant sent;
  std::uint64_t number = 0;
  bool is_waiting = false;
};

class Echo final : private WsOwner {
 public:
  Echo(const Options& options, const eider::Address& to)
      : options_(options),
        text_(options.message_bytes),
        turns_(options.connections),
        fleet_(options, to, outcome_.failures, *this, options.connections) {}

  Task<Outcome> run() {
    co_await fleet_.open_all();
    start();
    co_await eider::sleep_for(options_.duration);
    is_ending_ = true;
    const Instant latest = clock_now() + options_.timeout;
    while (is_waiting() && clock_now() < latest) {
      co_await eider::sleep_for(kDrainLook);
    }
    finish();
    co_await fleet_.leave_all();
    co_return std::move(outcome_);
  }

 private:
  void start() {
    start_ = clock_now();
    last_ = start_;
    for (std::size_t i = 0; i < fleet_.size(); ++i) {
      if (fleet_.at(i).is_ready()) {
        send(fleet_.at(i));
      }
    }
  }

  void finish() {
    for (std::size_t i = 0; i < fleet_.size(); ++i) {
      if (turns_[i].is_waiting) {
        fleet_.at(i).give_up(Failure::timeout, "no echo in time (--timeout)");
      }
    }
    outcome_.took = last_ - start_;
  }

  [[nodiscard]] bool is_waiting() const { return std::ranges::any_of(turns_, &Turn::is_waiting); }

  void send(WsConnection& connection) {
    turns_[connection.index()] = {clock_now(), ++number_, true};
    connection.send(text_.with(number_));
  }

  void on_message(WsConnection& connection, std::string_view message) override {
    Turn& turn = turns_[connection.index()];
    if (!turn.is_waiting) {
      connection.give_up(Failure::malformed, "a message that nobody sent");
      return;
    }
    if (message != text_.with(turn.number)) {
      connection.give_up(Failure::wrong_body, "the echo differs from what was sent");
      return;
    }
    turn.is_waiting = false;
    last_ = clock_now();
    ++outcome_.requests;
    outcome_.latency.add(static_cast<std::uint64_t>((last_ - turn.sent).count()));
    if (!is_ending_) {
      send(connection);
    }
  }

  void on_gone(WsConnection& connection, Failure kind) override {
    turns_[connection.index()].is_waiting = false;
    outcome_.failures.add(kind, connection.why());
  }

  const Options& options_;
  StampedText text_;
  std::vector<Turn> turns_;
  std::uint64_t number_ = 0;
  Outcome outcome_;
  Instant start_;
  Instant last_;
  bool is_ending_ = false;
  WsFleet fleet_;
};

}  // namespace

Outcome run_websocket(const Options& options, const eider::Address& to) {
  Outcome outcome;
  run_on_loop(options.backend, [&]() -> Task<> {
    Echo echo(options, to);
    Task<Outcome> run = echo.run();
    outcome = co_await std::move(run);
  });
  return outcome;
}

}  // namespace load
