// The connections of one thread: opened before the measurement, and reopened when they are lost.
// Layering: must not decide what is sent when; its user does.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "cli/bench/connection.h"
#include "cli/bench/options.h"
#include "cli/bench/outcome.h"
#include "cli/bench/target.h"
#include "cli/bench/terms.h"
#include "eider/io/net/net.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::bench {

inline constexpr Duration kRestBetweenAttempts = std::chrono::milliseconds(100);

class Fleet {
 public:
  using Connections = std::vector<std::unique_ptr<Connection>>;

  /// All arguments outlive it. Opened connections and failures are counted in `outcome`. Pre: on an
  /// event loop.
  Fleet(const Options& options, const Target& target, const std::vector<Request>& requests,
        unsigned count, ConnectionUser& user, Outcome& outcome);

  /// Opens all connections, a limited number at a time; stops if `is_to_stop` is set. Throws
  /// std::runtime_error with the reason if not a single one can be opened.
  [[nodiscard]] Task<> open_all(const std::atomic<bool>& is_to_stop);
  /// Opens one connection. Returns false if that fails, or the run has ended in the meantime.
  [[nodiscard]] Task<bool> open(Connection& connection);
  /// Reopens a lost connection, with as many attempts as necessary, and reports it as free.
  void reopen(Connection& connection);

  /// Closes connections whose oldest request has waited too long.
  void give_up_late();
  /// Closes all connections permanently.
  ///
  /// is_owed  outstanding requests count as failed
  void end(bool is_owed);

  [[nodiscard]] const Connections& connections() const noexcept { return connections_; }
  /// Returns whether at least one request waits for its response.
  [[nodiscard]] bool is_waiting() const noexcept;
  /// Returns whether requests may be sent on all connections.
  [[nodiscard]] bool is_ready() const noexcept;

 private:
  [[nodiscard]] std::unique_ptr<Connection> new_connection();
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
  std::size_t opening_ = 0;  // the next one to open at the start
  bool is_ending_ = false;
  Scope reopening_;
};

}  // namespace eider::bench
