#include "eider/cli/bench/load.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/runtime/connect.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/sleep.h"

namespace eider::bench {

namespace {

// As many handshakes at once as every backlog holds.
constexpr std::size_t kOpenersMax = 100;
constexpr Duration kRestBetweenAttempts = std::chrono::milliseconds(100);
constexpr Duration kLookInterval = std::chrono::milliseconds(10);

std::uint64_t nanoseconds(Duration duration) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, duration.count()));
}

Task<> wait_for(Event& event) {
  co_await event.wait();
}

}  // namespace

Share share_of(const Options& options, unsigned thread, unsigned threads) noexcept {
  Share share;
  const unsigned rest = options.connections % threads;
  share.connections = options.connections / threads + (thread < rest ? 1 : 0);
  if (options.requests != 0) {
    share.requests_max = options.requests / threads + (thread < options.requests % threads ? 1 : 0);
  }
  // By connections, so that each of these is asked as often as every other.
  share.rate = options.rate * share.connections / options.connections;
  share.seed = thread + 1;
  return share;
}

Load::Load(const Options& options, const Target& target, const std::vector<Request>& requests,
           const Share& share, Live& live)
    : loop_(Loop::current()),
      options_(options),
      target_(target),
      share_(share),
      live_(live),
      requests_(requests),
      h1_(requests, options.pipeline),
      h2_{requests, options.streams, target.tls ? "https" : "http"},
      ws_(requests, options, target) {
  for (unsigned i = 0; i < share.connections; ++i) {
    connections_.push_back(make_connection());
  }
}

std::unique_ptr<Connection> Load::make_connection() {
  auto& user = static_cast<ConnectionUser&>(*this);
  switch (options_.version) {
    case Version::http_2:
      return std::make_unique<H2Connection>(loop_, user, h2_);
    case Version::websocket:
      return std::make_unique<WsConnection>(loop_, user, ws_);
    case Version::http_1_1:
      break;
  }
  return std::make_unique<H1Connection>(loop_, user, h1_);
}

// Connecting.

Task<> Load::open_all() {
  Scope openers;
  for (std::size_t i = 0; i < std::min(kOpenersMax, connections_.size()); ++i) {
    openers.start(open_some());
  }
  co_await openers.join();
  if (std::ranges::none_of(connections_, [](const auto& c) { return c->is_ready(); })) {
    throw std::runtime_error(outcome_.faults.first());
  }
}

Task<> Load::open_some() {
  while (opening_ < connections_.size() && !live_.is_to_stop.load(std::memory_order_relaxed)) {
    Connection& next = *connections_[opening_++];
    co_await open(next);
  }
}

std::unique_ptr<Seal> Load::make_seal() {
  const std::string protocol = options_.version == Version::http_2 ? "h2" : "http/1.1";
  auto seal = target_.tls->make_seal({target_.host, target_.port, {protocol}});
  if (!seal) {
    throw std::runtime_error(seal.error().detail());
  }
  return std::move(*seal);
}

Task<bool> Load::open(Connection& connection) {
  auto fd = co_await connect(target_.address, options_.timeout);
  if (!fd) {
    outcome_.faults.add(Fault::connect, connect_words(target_.address, fd.error()));
    co_return false;
  }
  connection.open(std::move(*fd), target_.tls ? make_seal() : nullptr);
  auto settling = with_deadline(wait_for(connection.settled()), options_.timeout);
  const bool is_in_time = co_await std::move(settling);
  if (is_ending_) {
    co_return false;  // closed meanwhile, which is no fault
  }
  if (!is_in_time) {
    connection.give_up(Fault::timeout, "The handshake does not end in time (--timeout).");
  }
  if (!connection.is_ready()) {
    outcome_.faults.add(connection.fault(), connection.why());
    co_return false;
  }
  ++outcome_.connections_opened;
  connection.take_into_use();
  co_return true;
}

Task<> Load::reopen(Connection& connection) {
  co_await yield_now();  // not within the callback that closed it
  bool is_open = false;
  while (!is_ending_ && !is_open) {
    is_open = co_await open(connection);
    if (!is_open) {
      co_await sleep_for(kRestBetweenAttempts);
    }
  }
  if (is_open && connection.is_ready()) {
    on_free(connection);
  }
}

// The run.

Task<Outcome> Load::run() {
  co_await sleep_for(std::chrono::milliseconds(1));  // this turn's clock is of before the others
  begin();
  co_await ended_.wait();
  co_return std::move(outcome_);
}

void Load::begin() {
  has_begun_ = true;
  counting_from_ = now() + options_.warmup;
  ends_ = counting_from_ + options_.duration;
  if (is_open_loop()) {
    const Schedule schedule(options_.arrivals, share_.rate, share_.seed);
    pacer_ = std::make_unique<Pacer>(loop_, static_cast<PacerUser&>(*this), schedule);
    pacer_->start(now(), ends_);
  }
  expire();
  for (const auto& connection : connections_) {
    if (connection->is_ready()) {
      on_free(*connection);
    } else {
      reopening_.start(reopen(*connection));
    }
  }
}

void Load::begin_counting() {
  is_counting_ = true;
  counting_from_ = now();
  last_done_ = now();
  left_ = share_.requests_max;
  outcome_.bytes_received = 0;
}

void Load::expire() {
  if (!is_counting_ && now() >= counting_from_) {
    begin_counting();
  }
  tell_live();
  expire_requests();
  end_when_over();
  if (!is_ending_) {
    loop_.arm(*this, now() + kLookInterval);
  }
}

void Load::tell_live() noexcept {
  const std::uint64_t failed = outcome_.faults.count();
  live_.answered.fetch_add(outcome_.answered - told_answered_, std::memory_order_relaxed);
  live_.failed.fetch_add(failed - told_failed_, std::memory_order_relaxed);
  told_answered_ = outcome_.answered;
  told_failed_ = failed;
}

void Load::expire_requests() {
  for (const auto& connection : connections_) {
    if (connection->waiting() != 0 && now() - connection->waiting_since() > options_.timeout) {
      connection->give_up(Fault::timeout, "An answer did not come in time (--timeout).");
    }
  }
}

bool Load::is_drained() const noexcept {
  return overdue_.empty() &&
         std::ranges::none_of(connections_, [](const auto& c) { return c->waiting() != 0; });
}

void Load::end_when_over() {
  const bool is_told = live_.is_to_stop.load(std::memory_order_relaxed);
  const bool is_late = now() >= ends_;
  const bool is_latest = now() >= ends_ + options_.timeout;
  if (is_told) {
    outcome_.is_interrupted = true;
  }
  const bool is_through = is_late && (!is_open_loop() || is_drained());
  if (!is_ending_ && (is_told || is_latest || is_through || has_all())) {
    finish();
  }
}

void Load::finish() {
  is_ending_ = true;
  outcome_.took = std::max(Duration{1}, counted_until() - std::min(now(), counting_from_));
  if (pacer_) {
    pacer_->stop();
    give_up_overdue();
  }
  for (const auto& connection : connections_) {
    if (is_open_loop() && !outcome_.is_interrupted && connection->waiting() != 0) {
      connection->give_up(Fault::timeout, "An answer did not come before the end.");
    }
    connection->close();
  }
  ended_.set();
}

Instant Load::counted_until() const noexcept {
  if (has_all()) {
    return last_done_;
  }
  return is_open_loop() && now() >= ends_ ? std::max(ends_, last_done_) : now();
}

void Load::give_up_overdue() {
  for (const Instant due : overdue_) {
    if (due >= counting_from_ && !outcome_.is_interrupted) {
      ++outcome_.unsent;
      outcome_.latency.add(nanoseconds(now() - due));
    }
  }
  overdue_.clear();
}

// Requests.

void Load::send_next(Connection& connection, Instant due) {
  const bool is_counted = is_counting_ && due >= counting_from_;
  left_ -= is_counted ? 1 : 0;
  connection.send({next_request_, due, is_counted});
  next_request_ = next_request_ + 1 < requests_.size() ? next_request_ + 1 : 0;
}

void Load::on_free(Connection& connection) {
  if (is_ending_ || !has_begun_) {
    return;
  }
  if (is_open_loop()) {
    note_free(connection);
    send_overdue();
    return;
  }
  while (left_ != 0 && connection.has_room()) {
    send_next(connection, now());
  }
}

void Load::on_due(Instant due, Instant at) {
  if (due >= counting_from_) {
    outcome_.late.add(nanoseconds(at - due));
  }
  if (left_ > overdue_.size()) {
    overdue_.push_back(due);
    send_overdue();
  }
}

void Load::send_overdue() {
  while (!overdue_.empty() && !free_.empty()) {
    Connection& connection = *free_.pop_front();
    if (connection.is_ready() && connection.has_room()) {  // it may have been lost since
      send_next(connection, overdue_.front());
      overdue_.pop_front();
      note_free(connection);
    }
  }
}

/// Behind the others, so that each is asked as often as any other.
void Load::note_free(Connection& connection) {
  if (!connection.is_linked() && connection.is_ready() && connection.has_room()) {
    free_.push_back(connection);
  }
}

void Load::on_answer(Connection&, const Sent& sent, int status) {
  if (!sent.is_counted) {
    return;
  }
  ++outcome_.answered;
  ++outcome_.statuses[static_cast<std::size_t>(status / 100)];
  outcome_.latency.add(nanoseconds(now() - sent.due));
  note_done();
}

void Load::on_failed(Connection& connection, const Sent& sent, Fault fault) {
  if (!sent.is_counted) {
    return;
  }
  outcome_.faults.add(fault, connection.why());
  if (is_open_loop()) {
    outcome_.latency.add(nanoseconds(now() - sent.due));
  }
  note_done();
}

void Load::note_done() {
  last_done_ = now();
  ++done_;
  if (has_all()) {
    loop_.arm(*this, now());
  }
}

void Load::on_gone(Connection& connection) {
  if (has_begun_ && !is_ending_) {
    reopening_.start(reopen(connection));
  }
}

}  // namespace eider::bench
