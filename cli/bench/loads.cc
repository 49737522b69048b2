#include "cli/bench/load.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "cli/bench/response_check.h"
#include "cli/bench/schedule.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"

namespace eider::bench {

namespace {

// Time for the server to add all WebSockets to its room, which may happen after the handshake
// response.
constexpr Duration kRoomSettles = std::chrono::milliseconds(50);

// Limit per loop iteration, so that responses are read between bursts of overdue requests.
constexpr int kDuePerTurnMax = 256;

/// The clock of an open loop: reports each request at its time, which was fixed before the run.
/// Has microsecond precision; timers of a loop have milliseconds. Uses a file descriptor, so create
/// only a few.
class Pacer final : private FdWatch {
 public:
  /// on_due  called when the request of `due` is due; the current time is `now`
  /// errors  throws std::system_error if the process has no more file descriptors
  Pacer(Loop& loop, Schedule schedule, std::function<void(Instant due, Instant now)> on_due);
  ~Pacer() { stop(); }

  /// Reports every instant of the schedule in [from, until).
  void start(Instant from, Instant until);
  [[nodiscard]] bool is_over() const noexcept { return next_ >= until_; }
  using FdWatch::stop;

 private:
  void on_ready(Readiness what) override;
  void report_due();
  /// Calls `report_due` once at or after `due`, or immediately if that has passed.
  void wake_at(Instant due);

  Descriptor timer_;
  Schedule schedule_;
  std::function<void(Instant due, Instant now)> on_due_;
  Instant from_;
  Instant until_;
  Instant next_;
};

Pacer::Pacer(Loop& loop, Schedule schedule, std::function<void(Instant due, Instant now)> on_due)
    : FdWatch(loop),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
      schedule_(schedule),
      on_due_(std::move(on_due)) {
  if (!timer_.is_open()) {
    throw std::system_error(errno, std::system_category(), "timerfd_create");
  }
  watch(timer_.get(), Readiness::readable);
}

void Pacer::wake_at(Instant due) {
  // The steady clock is CLOCK_MONOTONIC; a setting of 0 would disarm the timer.
  const auto at = std::max<std::int64_t>(1, due.time_since_epoch().count());
  itimerspec setting{};
  setting.it_value.tv_sec = at / 1'000'000'000;
  setting.it_value.tv_nsec = at % 1'000'000'000;
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void Pacer::on_ready(Readiness) {
  std::uint64_t times = 0;
  if (::read(timer_.get(), &times, sizeof(times)) == sizeof(times)) {
    report_due();
  }
}

void Pacer::start(Instant from, Instant until) {
  from_ = from;
  until_ = until;
  next_ = from_ + schedule_.next();
  wake_at(next_);
}

void Pacer::report_due() {
  Instant now = std::chrono::steady_clock::now();
  for (int i = 0; i < kDuePerTurnMax && next_ <= now && next_ < until_; ++i) {
    on_due_(next_, now);
    next_ = from_ + schedule_.next();
  }
  if (next_ < until_) {
    wake_at(next_);
  }
}

class ClosedLoad : public Load {
 public:
  using Load::Load;

 private:
  void on_free(Connection& connection) override {
    if (may_ask() && !is_draining()) {
      while (left() != 0 && connection.has_room()) {
        connection.send(next(now()));
      }
    }
  }
  /// A missing echo must be reported, so wait for it.
  [[nodiscard]] bool is_patient() const noexcept override {
    return options().version == Version::websocket;
  }
  [[nodiscard]] bool is_draining() const noexcept { return is_patient() && is_over(); }
};

class EventLoad final : public ClosedLoad {
 public:
  using ClosedLoad::ClosedLoad;

 private:
  void count(const Sent& sent) override {
    outcome().answered += options().events;
    outcome().latency.add(since(sent.due));
  }
  void stop_asking() override {
    for (const auto& connection : fleet().connections()) {
      if (connection->waiting() != 0 && is_to_count(connection->waiting_since())) {
        count_unfinished(connection->unfinished());
      }
    }
  }
  void count_unfinished(const Unfinished& stream) {
    outcome().answered += events_within(stream.right_bytes, options().events);
    if (!stream.is_right_so_far) {
      outcome().faults.add(Fault::differs, "An event differs from the expected one (--events).");
    }
  }
};

class OpenLoad final : public Load {
 public:
  using Load::Load;

 private:
  void start() override {
    const Schedule schedule(options().arrivals, share().rate, share().seed);
    pacer_ = std::make_unique<Pacer>(loop(), schedule,
                                     [this](Instant due, Instant at) { on_due(due, at); });
    pacer_->start(now(), ends());
    Load::start();
  }
  void on_free(Connection& connection) override {
    if (may_ask()) {
      note_free(connection);
      send_overdue();
    }
  }
  void on_due(Instant due, Instant at) {
    if (is_to_count(due)) {
      outcome().late.add(static_cast<std::uint64_t>(std::max(Duration{0}, at - due).count()));
    }
    if (left() > overdue_.size()) {
      overdue_.push_back(due);
      send_overdue();
    }
  }
  void send_overdue() {
    while (!overdue_.empty() && !free_.empty()) {
      Connection& connection = *free_.pop_front();
      if (connection.is_ready() && connection.has_room()) {  // it may have been lost since
        connection.send(next(overdue_.front()));
        overdue_.pop_front();
        note_free(connection);
      }
    }
  }
  /// At the end of the list, so that all connections get equally many requests.
  void note_free(Connection& connection) {
    if (!connection.is_linked() && connection.is_ready() && connection.has_room()) {
      free_.push_back(connection);
    }
  }
  void count(const Sent& sent) override {
    Load::count(sent);
    outcome().from_sending.add(since(sent.sent));
  }
  void on_failed(Connection& connection, const Sent& sent, Fault fault) override {
    if (sent.is_counted) {
      outcome().latency.add(since(sent.due));
    }
    Load::on_failed(connection, sent, fault);
  }
  [[nodiscard]] bool is_patient() const noexcept override { return true; }
  [[nodiscard]] bool is_drained() const noexcept override {
    return pacer_->is_over() && overdue_.empty() && Load::is_drained();
  }
  void stop_asking() override {
    if (pacer_) {  // otherwise the run ended before its start
      pacer_->stop();
    }
    for (const Instant due : overdue_) {
      if (is_to_count(due) && !is_interrupted()) {
        ++outcome().unsent;
        outcome().latency.add(since(due));
      }
    }
    overdue_.clear();
  }

  std::deque<Instant> overdue_;
  IntrusiveList<Connection> free_;  // with room; the least recently used one first
  std::unique_ptr<Pacer> pacer_;
};

class Broadcast final : public Load {
 public:
  using Load::Load;

  Task<> open_all() override {
    co_await Load::open_all();
    co_await sleep_for(kRoomSettles);
  }

 private:
  void on_free(Connection&) override {
    // Until all connections are open, it is unknown which of them receive a message.
    if (may_ask() && !is_over() && missing_ == 0 && fleet().is_ready()) {
      publish();
    }
  }
  /// Sends a message on the first connection; all connections must receive it, including the first.
  void publish() {
    const auto& all = fleet().connections();
    missing_ = all.size();
    Sent message = next(now());
    for (const auto& connection : all) {
      message.is_heard = connection != all.front();
      connection->send(message);
    }
  }
  /// Counts deliveries; the latency of a message is that of its last delivery.
  void count(const Sent&) override { ++outcome().answered; }
  void on_done(Connection&, const Sent& sent) override {
    if (--missing_ == 0 && sent.is_counted) {
      outcome().latency.add(since(sent.due));
    }
  }
  [[nodiscard]] bool is_patient() const noexcept override { return true; }

  std::size_t missing_ = 0;  // connections that have not received the last message
};

class NewConnections final : public Load {
 public:
  using Load::Load;

  /// Each connection is opened for its request.
  Task<> open_all() override { co_return; }

 private:
  void start() override {
    const auto& all = fleet().connections();
    const std::uint64_t each = share().requests_max / all.size();
    std::uint64_t rest = share().requests_max % all.size();
    for (const auto& connection : all) {
      left_of_[connection.get()] = each + (rest > 0 ? 1 : 0);
      rest -= rest > 0 ? 1 : 0;
      ask(*connection);
    }
  }
  void ask(Connection& connection) {
    if (left_of_[&connection] != 0 && may_ask()) {
      asking_.start(ask_once(connection));
    }
  }
  Task<> ask_once(Connection& connection) {
    co_await yield_now();  // not within the callback that ended its last request
    const Sent request = next(now());
    left_of_[&connection] -= request.is_counted ? 1 : 0;  // requests of the warm-up do not count
    if (co_await fleet().open(connection)) {
      connection.send(request);
    } else if (may_ask()) {
      co_await sleep_for(kRestBetweenAttempts);
      note_unsent(request);
      ask(connection);
    }
  }
  void on_free(Connection&) override {}
  void on_gone(Connection&) override {}
  void on_done(Connection& connection, const Sent&) override {
    connection.close();
    ask(connection);
  }
  [[nodiscard]] bool is_patient() const noexcept override { return false; }

  std::unordered_map<const Connection*, std::uint64_t> left_of_;
  Scope asking_;
};

}  // namespace

std::unique_ptr<Load> make_load(const Job& job, const Share& share) {
  if (job.options.way == Way::broadcast) {
    return std::make_unique<Broadcast>(job, share);
  }
  if (job.options.way == Way::new_connections) {
    return std::make_unique<NewConnections>(job, share);
  }
  if (job.options.events != 0) {
    return std::make_unique<EventLoad>(job, share);
  }
  if (share.rate > 0) {
    return std::make_unique<OpenLoad>(job, share);
  }
  return std::make_unique<ClosedLoad>(job, share);
}

}  // namespace eider::bench
