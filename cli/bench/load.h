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

/// State that the threads of a run share with the main thread while it runs.
struct Live {
  std::atomic<std::uint64_t> answered = 0;
  std::atomic<std::uint64_t> failed = 0;
  std::atomic<bool> is_to_stop = false;
};

/// requests_max  of this thread in the whole run
/// rate          0: a closed loop
struct Share {
  unsigned connections = 1;
  std::uint64_t requests_max = std::numeric_limits<std::uint64_t>::max();
  double rate = 0;
  std::uint64_t seed = 1;
};

/// Returns a thread's share, so that all shares add up to the requested values. Pre: thread <
/// threads.
[[nodiscard]] Share share_of(const Options& options, unsigned thread, unsigned threads) noexcept;

/// Inputs of a load; all of them outlive it.
struct Job {
  const Options& options;
  const Target& target;
  const std::vector<Request>& requests;
  Live& live;
};

/// Common part of all kinds of load. Each kind (loads.cc) decides when a request is sent.
class Load : protected ConnectionUser, private Timer {
 public:
  /// Pre: on an event loop.
  Load(const Job& job, const Share& share);
  virtual ~Load() = default;

  /// Opens all connections. Throws std::runtime_error with the reason if not a single one can be
  /// opened.
  [[nodiscard]] virtual Task<> open_all();

  /// Warms up, and runs until all requests are done, the time is over, it is stopped, or too many
  /// requests have failed.
  [[nodiscard]] Task<Outcome> run();

 protected:
  /// Starts sending: reports ready connections as free, and reopens the others.
  virtual void start();
  /// Called when a request got its response or failed. The connection may already be closed.
  virtual void on_done(Connection&, const Sent&) {}
  /// Returns whether the end waits for outstanding requests, up to the response timeout.
  [[nodiscard]] virtual bool is_patient() const noexcept = 0;
  /// Returns whether no request is outstanding or overdue.
  [[nodiscard]] virtual bool is_drained() const noexcept { return !fleet_.is_waiting(); }
  /// Called when the run is over: no more requests may be sent.
  virtual void stop_asking() {}
  /// Counts a response, with its latency from the time at which it was due.
  virtual void count(const Sent& sent);
  void on_failed(Connection& connection, const Sent& sent, Fault fault) override;
  void on_gone(Connection& connection) override;

  /// Returns the next request or message, and counts it as sent.
  [[nodiscard]] Sent next(Instant due);
  /// Counts a request that could not be sent.
  void note_unsent(const Sent& sent);
  /// Returns the time since an instant, for a histogram.
  [[nodiscard]] std::uint64_t since(Instant then) const noexcept;
  [[nodiscard]] Instant now() const noexcept { return loop_.now(); }
  [[nodiscard]] bool is_to_count(Instant due) const noexcept { return due >= counting_from_; }
  [[nodiscard]] bool may_ask() const noexcept { return has_begun_ && !is_ending_ && !is_hopeless_; }
  [[nodiscard]] bool is_interrupted() const noexcept { return outcome_.is_interrupted; }
  /// Returns how many requests may still be sent.
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
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  // requests still to be sent
  std::uint64_t done_ = 0;  // counted requests with a response or a failure
  std::uint64_t told_answered_ = 0;
  std::uint64_t told_failed_ = 0;
  Instant counting_from_ = Instant::max();
  Instant ends_ = Instant::max();
  Instant last_done_;
  bool is_counting_ = false;
  bool has_begun_ = false;
  bool is_hopeless_ = false;  // too many requests have failed
  bool is_ending_ = false;
  AsyncEvent ended_;
};

/// Creates the load that the options of the job specify:
///
///   a closed loop    each connection sends the next request as soon as it has its response. It
///                    ends after the duration; outstanding requests are not counted, except for
///                    messages of WebSockets.
///   an open loop     (--rate) follows a clock. It waits up to `timeout` for outstanding requests,
///                    because excluding slow ones would make the server look better.
///   a broadcast      one WebSocket sends, and all must receive; the next message is sent after all
///                    have received the last one
///   event streams    (--events) a closed loop that counts events, including those of unfinished
///                    streams
///   new connections  one for each request; each client sends its share of all requests, one after
///                    the other, and latency includes connecting
///
/// Pre: on an event loop.
[[nodiscard]] std::unique_ptr<Load> make_load(const Job& job, const Share& share);

}  // namespace eider::bench
