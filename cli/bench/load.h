// One thread's part of a run: its clock and its counters.
// Layering: must not print; shares nothing with other threads except Live.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/fleet.h"
#include "cli/bench/options.h"
#include "cli/bench/outcome.h"
#include "cli/bench/target.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/timer.h"

namespace eider::bench {

/// What a run's threads tell while it goes on, and are told.
struct Live {
  std::atomic<std::uint64_t> answered = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<bool> is_to_stop = false;
};

/// requests_max  of the whole run in this thread
/// rate          0 is a closed loop
struct Share {
  unsigned connections = 1;
  std::uint64_t requests_max = std::numeric_limits<std::uint64_t>::max();
  double rate = 0;
  std::uint64_t seed = 1;
};

/// A thread's part, so that all of them add up to what was asked. Pre: thread < threads.
[[nodiscard]] Share share_of(const Options& options, unsigned thread, unsigned threads) noexcept;

/// What a load is made of; all of it outlives the load.
struct Job {
  const Options& options;
  const Target& target;
  const std::vector<Request>& requests;
  Live& live;
};

/// What all ways to ask have in common. Each way (loads.h) decides when a request is sent.
class Load : protected ConnectionUser, private Timer {
 public:
  /// Pre: on a loop.
  Load(const Job& job, const Share& share);
  virtual ~Load() = default;

  /// Opens all connections. Throws std::runtime_error with the reason when not a single one can be
  /// had.
  [[nodiscard]] virtual Task<> open_all();

  /// Warms up, runs until all is done, the time is over, it is told to stop, or too much has
  /// failed.
  [[nodiscard]] Task<Outcome> run();

 protected:
  /// Begins to ask: what is ready is free, and what is not is opened again.
  virtual void start();
  /// A request was answered, or has failed for good. The connection may be closed already.
  virtual void on_done(Connection&, const Sent&) {}
  /// Whether the end waits for what is on its way, as long as a response may take.
  [[nodiscard]] virtual bool is_patient() const noexcept = 0;
  /// Nothing is on its way, nor overdue.
  [[nodiscard]] virtual bool is_drained() const noexcept { return !fleet_.is_waiting(); }
  /// The run is over: nothing is to be sent from here on.
  virtual void stop_asking() {}
  /// What a response adds to what is counted, from when it was due.
  virtual void count(const Sent& sent);
  void on_failed(Connection& connection, const Sent& sent, Fault fault) override;
  void on_gone(Connection& connection) override;

  /// The next request or message, which is from here on one less to send.
  [[nodiscard]] Sent next(Instant due);
  /// Counts a request that could not even be sent.
  void note_unsent(const Sent& sent);
  /// Time behind an instant, for a histogram.
  [[nodiscard]] std::uint64_t since(Instant then) const noexcept;
  [[nodiscard]] Instant now() const noexcept { return loop_.now(); }
  [[nodiscard]] bool is_to_count(Instant due) const noexcept { return due >= counting_from_; }
  [[nodiscard]] bool may_ask() const noexcept { return has_begun_ && !is_ending_ && !is_hopeless_; }
  [[nodiscard]] bool is_interrupted() const noexcept { return outcome_.is_interrupted; }
  /// How many requests may still be sent.
  [[nodiscard]] std::uint64_t left() const noexcept { return left_; }
  [[nodiscard]] Instant ends() const noexcept { return ends_; }
  [[nodiscard]] bool is_over() const noexcept { return now() >= ends_; }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  [[nodiscard]] const Options& options() const noexcept { return job_.options; }
  [[nodiscard]] const Share& share() const noexcept { return share_; }
  [[nodiscard]] Outcome& outcome() noexcept { return outcome_; }
  [[nodiscard]] Fleet& fleet() noexcept { return fleet_; }
  [[nodiscard]] const Fleet& fleet() const noexcept { return fleet_; }

 private:
  void on_received(std::size_t bytes) override { outcome_.bytes_received += bytes; }
  void on_response(Connection& connection, const Sent& sent, int status) override;
  void on_surplus(Connection& connection) override {
    outcome_.faults.add(connection.fault(), connection.why());
  }
  void expire() override;

  void begin();
  void begin_counting();
  void tell_live() noexcept;
  void end_when_over();
  void finish();
  void note_done();
  [[nodiscard]] bool has_all() const noexcept { return done_ == share_.requests_max; }
  [[nodiscard]] bool has_too_many_errors() const noexcept;
  [[nodiscard]] Instant counted_until() const noexcept;

  Loop& loop_;
  const Job job_;
  const Share share_;
  Outcome outcome_;
  Fleet fleet_;
  std::size_t next_request_ = 0;
  std::uint64_t next_number_;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  // that may still be sent
  std::uint64_t done_ = 0;  // counted requests that are answered or have failed
  std::uint64_t told_answered_ = 0;
  std::uint64_t told_failed_ = 0;
  Instant counting_from_ = Instant::max();
  Instant ends_ = Instant::max();
  Instant last_done_;
  bool is_counting_ = false;
  bool has_begun_ = false;
  bool is_hopeless_ = false;  // too much has failed
  bool is_ending_ = false;
  AsyncEvent ended_;
};

}  // namespace eider::bench
