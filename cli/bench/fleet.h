// The connections of one thread: opened before the measurement, and reopened when they are lost.
// Layering: must not decide what is sent when; its user does.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/h1_connection.h"
#include "cli/bench/h2_connection.h"
#include "cli/bench/options.h"
#include "cli/bench/outcome.h"
#include "cli/bench/target.h"
#include "cli/bench/ws_connection.h"
#include "eider/io/net/net.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::bench {

inline constexpr Duration kRestBetweenAttempts = std::chrono::milliseconds(100);

class Fleet {
 public:
  using Connections = std::vector<std::unique_ptr<Connection>>;

  /// All of these outlive it. What it opens, and fails to, is counted in `outcome`. Pre: on a loop.
  Fleet(const Options& options, const Target& target, const std::vector<Request>& requests,
        unsigned count, ConnectionUser& user, Outcome& outcome);

  /// Opens all connections, so many at a time, or stops when it is told to. Throws
  /// std::runtime_error with the reason when not a single one can be had.
  [[nodiscard]] Task<> open_all(const std::atomic<bool>& is_to_stop);
  /// Opens one. False when that failed, or the run has ended meanwhile.
  [[nodiscard]] Task<bool> open(Connection& connection);
  /// Opens one that was lost, however often that takes, and tells the user that it is free.
  void reopen(Connection& connection);

  /// Gives up those whose oldest request has waited for too long.
  void give_up_late();
  /// Closes all, and opens none again.
  ///
  /// is_owed  what waits for its response has failed by that
  void end(bool is_owed);

  [[nodiscard]] const Connections& connections() const noexcept { return connections_; }
  /// At least one request waits for its response.
  [[nodiscard]] bool is_waiting() const noexcept;
  /// Requests may be sent on all.
  [[nodiscard]] bool is_ready() const noexcept;

 private:
  [[nodiscard]] std::unique_ptr<Connection> make_connection();
  Task<> open_some(const std::atomic<bool>& is_to_stop);
  Task<> open_again(Connection& connection);

  Loop& loop_;
  const Options& options_;
  net::Route route_;
  net::Net net_;
  ConnectionUser& user_;
  Outcome& outcome_;
  H1Terms h1_;
  H2Terms h2_;
  WsTerms ws_;
  Connections connections_;
  std::size_t opening_ = 0;  // the next one to be opened at the start
  bool is_ending_ = false;
  Scope reopening_;
};

}  // namespace eider::bench
