// One thread's part of a run: its connections, the clock of its requests, and what it counts.
// Must not print, and shares nothing with other threads but Live.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "eider/base/intrusive_list.h"
#include "eider/cli/bench/connection.h"
#include "eider/cli/bench/h1_connection.h"
#include "eider/cli/bench/h2_connection.h"
#include "eider/cli/bench/options.h"
#include "eider/cli/bench/outcome.h"
#include "eider/cli/bench/pacer.h"
#include "eider/cli/bench/target.h"
#include "eider/cli/bench/ws_connection.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/task.h"
#include "eider/runtime/timer.h"

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

class Load final : private ConnectionUser, private PacerUser, private Timer {
 public:
  /// All of these outlive it. Pre: on a loop.
  Load(const Options& options, const Target& target, const std::vector<Request>& requests,
       const Share& share, Live& live);

  /// Opens all connections, so many at a time. Throws std::runtime_error with the reason when not a
  /// single one can be had.
  [[nodiscard]] Task<> open_all();

  /// Warms up, runs until all is done, the time is over or it is told to stop.
  ///
  /// A closed loop ends with the duration: what is outstanding then is not counted. An open loop
  /// waits for it, `timeout` at most, since leaving out the slow ones would flatter the server.
  [[nodiscard]] Task<Outcome> run();

 private:
  void on_received(std::size_t bytes) override { outcome_.bytes_received += bytes; }
  void on_answer(Connection& connection, const Sent& sent, int status) override;
  void on_free(Connection& connection) override;
  void on_failed(Connection& connection, const Sent& sent, Fault fault) override;
  void on_surplus(Connection& connection) override {
    outcome_.faults.add(connection.fault(), connection.why());
  }
  void on_gone(Connection& connection) override;
  void on_due(Instant due, Instant now) override;
  void expire() override;

  Task<> open_some();
  Task<bool> open(Connection& connection);
  Task<> reopen(Connection& connection);
  [[nodiscard]] std::unique_ptr<Connection> make_connection();
  [[nodiscard]] std::unique_ptr<Seal> make_seal();

  void begin();
  void begin_counting();
  void tell_live() noexcept;
  void expire_requests();
  void end_when_over();
  void finish();
  void give_up_overdue();
  void note_done();
  void send_next(Connection& connection, Instant due);
  void send_overdue();
  void note_free(Connection& connection);
  [[nodiscard]] bool is_open_loop() const noexcept { return share_.rate > 0; }
  [[nodiscard]] bool is_drained() const noexcept;
  [[nodiscard]] bool has_all() const noexcept { return done_ == share_.requests_max; }
  [[nodiscard]] Instant counted_until() const noexcept;
  [[nodiscard]] Instant now() const noexcept { return loop_.now(); }

  Loop& loop_;
  const Options& options_;
  const Target& target_;
  Share share_;
  Live& live_;
  const std::vector<Request>& requests_;
  H1Terms h1_;
  H2Terms h2_;
  WsTerms ws_;
  Outcome outcome_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::size_t opening_ = 0;  // the next one to be opened at the start
  std::size_t next_request_ = 0;
  std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();  // that may still be sent
  std::uint64_t done_ = 0;  // counted requests that are answered or have failed
  std::uint64_t told_answered_ = 0;
  std::uint64_t told_failed_ = 0;
  Instant counting_from_ = Instant::max();
  Instant ends_ = Instant::max();
  Instant last_done_;
  bool is_counting_ = false;
  bool has_begun_ = false;
  bool is_ending_ = false;
  Event ended_;
  std::deque<Instant> overdue_;
  IntrusiveList<Connection> free_;  // with room; the one that has rested longest first
  std::unique_ptr<Pacer> pacer_;
  Scope reopening_;
};

}  // namespace eider::bench
