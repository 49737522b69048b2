// The WebSocket connections of one thread, opened before the clock starts.
// Must not open one again: a server that ends a WebSocket has failed.
#pragma once

#include <cstddef>
#include <deque>

#include "eider/runtime/address.h"
#include "eider/runtime/task.h"
#include "options.h"
#include "report.h"
#include "ws_connection.h"

namespace load {

class WsFleet {
 public:
  /// All of these must outlive it. Failures to connect are counted into `failures`; whatever else
  /// happens to a connection is told to `owner`.
  WsFleet(const Options& options, const eider::Address& to, Failures& failures, WsOwner& owner,
          std::size_t count);

  /// Opens all connections, some at a time, and waits for their upgrades. Throws std::runtime_error
  /// with the reason when not a single one is ready in time.
  [[nodiscard]] eider::Task<> open_all();

  /// The close handshake of all, for as long as a server may reasonably take.
  [[nodiscard]] eider::Task<> leave_all();

  [[nodiscard]] WsConnection& at(std::size_t index) { return connections_[index]; }
  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }
  /// How many can be sent to.
  [[nodiscard]] std::size_t ready() const noexcept;

 private:
  eider::Task<> open_some();
  eider::Task<> await_upgrades();
  [[nodiscard]] bool is_upgrading() const noexcept;

  const Options& options_;
  const eider::Address& to_;
  Failures& failures_;
  WsShared shared_;
  std::deque<WsConnection> connections_;
  std::size_t opening_ = 0;  // the next one to be opened
};

}  // namespace load
