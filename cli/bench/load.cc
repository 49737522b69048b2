#include "cli/bench/load.h"

#include <algorithm>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider::bench {

namespace {

constexpr Duration kLookInterval = std::chrono::milliseconds(10);
// Separates the message numbers of the threads of a run.
constexpr unsigned kNumberBits = 40;

}  // namespace

Share share_of(const Options& options, unsigned thread, unsigned threads) noexcept {
  Share share;
  const unsigned rest = options.connections % threads;
  share.connections = options.connections / threads + (thread < rest ? 1 : 0);
  if (options.requests != 0) {
    share.requests_max = options.requests / threads + (thread < options.requests % threads ? 1 : 0);
  }
  // In proportion to the connections, so that all of them get equally many requests.
  share.rate = options.rate * share.connections / options.connections;
  share.seed = thread + 1;
  return share;
}

Load::Load(const Job& job, const Share& share)
    : loop_(Loop::current()),
      job_(job),
      share_(share),
      fleet_(job.options, job.target, job.requests, share.connections,
             static_cast<ConnectionUser&>(*this), outcome_),
      next_number_(share.seed << kNumberBits) {}

Task<> Load::open_all() {
  return fleet_.open_all(job_.live.is_to_stop);
}

Task<Outcome> Load::run() {
  co_await sleep_for(std::chrono::milliseconds(1));  // updates the clock of this loop
  begin();
  co_await ended_.wait();
  co_return std::move(outcome_);
}

void Load::begin() {
  has_begun_ = true;
  counting_from_ = now() + options().warmup;
  ends_ = counting_from_ + options().duration;
  expire();
  if (!is_ending_) {  // otherwise stopped while connections were opened
    start();
  }
}

void Load::start() {
  for (const auto& connection : fleet_.connections()) {
    if (connection->is_ready()) {
      on_free(*connection);
    } else {
      fleet_.reopen(*connection);
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
  fleet_.give_up_late();
  end_when_over();
  if (!is_ending_) {
    loop_.arm(*this, now() + kLookInterval);
  }
}

void Load::tell_live() noexcept {
  const std::uint64_t failed = outcome_.faults.count();
  job_.live.answered.fetch_add(outcome_.answered - told_answered_, std::memory_order_relaxed);
  job_.live.failed.fetch_add(failed - told_failed_, std::memory_order_relaxed);
  told_answered_ = outcome_.answered;
  told_failed_ = failed;
}

bool Load::has_too_many_errors() const noexcept {
  return options().errors_max != 0 && outcome_.faults.count() >= options().errors_max;
}

void Load::end_when_over() {
  is_hopeless_ = has_too_many_errors();
  if (is_hopeless_) {
    job_.live.is_to_stop.store(true, std::memory_order_relaxed);  // for all threads
  }
  const bool is_told = job_.live.is_to_stop.load(std::memory_order_relaxed);
  const bool is_late = now() >= ends_;
  const bool is_latest = now() >= ends_ + options().timeout;
  if (is_told) {
    outcome_.is_interrupted = true;
  }
  const bool is_through = is_late && (!is_patient() || is_drained());
  if (!is_ending_ && (is_told || is_latest || is_through || has_all())) {
    finish();
  }
}

void Load::finish() {
  is_ending_ = true;
  outcome_.took = std::max(Duration{1}, counted_until() - std::min(now(), counting_from_));
  stop_asking();
  fleet_.end(is_patient() && !is_interrupted());
  ended_.set();
}

Instant Load::counted_until() const noexcept {
  if (has_all()) {
    return last_done_;
  }
  return is_patient() && now() >= ends_ ? std::max(ends_, last_done_) : now();
}

Sent Load::next(Instant due) {
  const bool is_counted = is_counting_ && is_to_count(due);
  left_ -= is_counted ? 1 : 0;
  const Sent sent{
      .request = next_request_, .due = due, .is_counted = is_counted, .number = next_number_++};
  next_request_ = next_request_ + 1 < job_.requests.size() ? next_request_ + 1 : 0;
  return sent;
}

std::uint64_t Load::since(Instant then) const noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, (now() - then).count()));
}

void Load::on_response(Connection& connection, const Sent& sent, int status) {
  if (sent.is_counted) {
    ++outcome_.statuses[static_cast<std::size_t>(std::min(status / 100, 5))];  // also 600 and above
    count(sent);
    note_done();
  }
  on_done(connection, sent);
}

void Load::count(const Sent& sent) {
  ++outcome_.answered;
  outcome_.latency.add(since(sent.due));
}

void Load::on_failed(Connection& connection, const Sent& sent, Fault fault) {
  if (sent.is_counted) {
    outcome_.faults.add(fault, connection.why());
    note_done();
  }
  on_done(connection, sent);
}

void Load::note_unsent(const Sent& sent) {
  if (sent.is_counted) {
    note_done();
  }
}

void Load::note_done() {
  last_done_ = now();
  ++done_;
  is_hopeless_ = has_too_many_errors();
  if (has_all() || is_hopeless_) {
    loop_.arm(*this, now());
  }
}

void Load::on_gone(Connection& connection) {
  if (may_ask()) {
    fleet_.reopen(connection);
  }
}

}  // namespace eider::bench
