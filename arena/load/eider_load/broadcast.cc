#include "broadcast.h"

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
// The server may take a socket into the room only after its upgrade was answered.
constexpr eider::Duration kSettle = std::chrono::milliseconds(50);

Instant clock_now() {
  return std::chrono::steady_clock::now();
}

class Broadcast final : private WsOwner {
 public:
  Broadcast(const Options& options, const eider::Address& to)
      : options_(options),
        text_(options.message_bytes),
        got_(std::size_t{options.connections} + 1),
        fleet_(options, to, outcome_.failures, *this, std::size_t{options.connections} + 1) {}

  Task<Outcome> run() {
    co_await fleet_.open_all();
    co_await eider::sleep_for(kSettle);
    start_ = clock_now();
    last_ = start_;
    publish();
    co_await eider::sleep_for(options_.duration);
    is_ending_ = true;
    const Instant latest = clock_now() + options_.timeout;
    while (missing_ != 0 && clock_now() < latest) {
      co_await eider::sleep_for(kDrainLook);
    }
    count_missing();
    outcome_.took = last_ - start_;
    co_await fleet_.leave_all();
    co_return std::move(outcome_);
  }

 private:
  /// The last connection is the publisher's.
  void publish() {
    WsConnection& publisher = fleet_.at(fleet_.size() - 1);
    if (fleet_.ready() != fleet_.size()) {
      return;  // whoever is gone is counted already: nothing measured from now on would count
    }
    missing_ = fleet_.size();
    sent_ = clock_now();
    publisher.send(text_.with(++number_));
  }

  void count_missing() {
    for (std::size_t i = 0; missing_ != 0 && i < got_.size(); ++i) {
      if (got_[i] != number_ && fleet_.at(i).is_ready()) {
        outcome_.failures.add(Failure::timeout, "a subscriber did not get a message (--timeout)");
      }
    }
  }

  void on_message(WsConnection& connection, std::string_view message) override {
    std::uint64_t& got = got_[connection.index()];
    if (missing_ == 0 || got == number_) {
      connection.give_up(Failure::malformed, "a message that nobody sent, or twice");
      return;
    }
    if (message != text_.with(number_)) {
      connection.give_up(Failure::wrong_body, "the message differs from what was published");
      return;
    }
    got = number_;
    ++outcome_.requests;
    if (--missing_ == 0) {
      on_all_have_it();
    }
  }

  void on_all_have_it() {
    last_ = clock_now();
    outcome_.latency.add(static_cast<std::uint64_t>((last_ - sent_).count()));
    if (!is_ending_) {
      publish();
    }
  }

  void on_gone(WsConnection& connection, Failure kind) override {
    outcome_.failures.add(kind, connection.why());
    if (missing_ != 0 && got_[connection.index()] != number_) {
      --missing_;
    }
  }

  const Options& options_;
  StampedText text_;
  std::vector<std::uint64_t> got_;  // the number of the message that each has last got
  std::uint64_t number_ = 0;
  std::size_t missing_ = 0;  // how many have not got the last message
  Outcome outcome_;
  Instant start_;
  Instant sent_;
  Instant last_;
  bool is_ending_ = false;
  WsFleet fleet_;
};

}  // namespace

Outcome run_broadcast(const Options& options, const eider::Address& to) {
  Outcome outcome;
  run_on_loop(options.backend, [&]() -> Task<> {
    Broadcast broadcast(options, to);
    Task<Outcome> run = broadcast.run();
    outcome = co_await std::move(run);
  });
  return outcome;
}

}  // namespace load
