// The connections of one thread: opened before the clock starts, and again when they are lost.
// Must not decide when a request is sent: its user does.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "eider/runtime/address.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/task.h"
#include "eider/runtime/timer.h"
#include "kept_connection.h"
#include "options.h"
#include "report.h"

namespace load {

/// Told by its fleet.
class FleetUser {
 public:
  /// Nothing is outstanding on the connection: a request may be sent on it, now or later.
  virtual void on_free(KeptConnection& connection) = 0;
  /// An answer as expected has come.
  virtual void on_good(KeptConnection& connection) = 0;
  /// A request of the connection has failed, and is counted already.
  virtual void on_failed(KeptConnection& connection) = 0;

 protected:
  ~FleetUser() = default;
};

class Fleet final : private ConnectionOwner, private eider::Timer {
 public:
  /// All of these must outlive it. Failures are counted into `failures`.
  Fleet(const Options& options, const eider::Address& to, Failures& failures, FleetUser& user);

  /// Opens all connections, some at a time; `on_free` is told of none of these. Throws
  /// std::runtime_error with the reason when not a single one can be had.
  [[nodiscard]] eider::Task<> open_all();
  /// Tells `on_free` of every open connection, and watches over the time of requests.
  void start();

  [[nodiscard]] const std::deque<KeptConnection>& connections() const noexcept {
    return connections_;
  }
  /// How many requests are outstanding.
  [[nodiscard]] std::size_t waiting() const noexcept;
  /// Fails what is still outstanding, and reconnects no more.
  void end();

 private:
  void on_answer(KeptConnection& connection, std::optional<Failure> failure) override;
  void on_free(KeptConnection& connection) override { user_.on_free(connection); }
  void on_gone(KeptConnection& connection, unsigned unanswered, Failure kind) override;
  void expire() override;

  eider::Task<> open_some();
  eider::Task<bool> open(KeptConnection& connection);
  eider::Task<> reopen(KeptConnection& connection);

  const Options& options_;
  const eider::Address& to_;
  Failures& failures_;
  FleetUser& user_;
  std::deque<KeptConnection> connections_;
  std::size_t opening_ = 0;  // the next one to be opened at the start
  bool is_ending_ = false;
  eider::Scope reopening_;
};

}  // namespace load
