// One loop of a server: accepts, serves its connections, and drains them.
// Must not own its loop or thread. All of it belongs to the loop's thread once that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "eider/base/result.h"
#include "eider/runtime/address.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/listener.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/timer.h"
#include "eider/server/detail/balance.h"
#include "eider/server/detail/connections.h"
#include "eider/server/detail/context.h"

namespace eider {

class LogSink;

namespace detail {

/// What the workers of one server share. All of it outlives them.
struct Crew {
  Service& service;
  const Limits& limits;
  Balance& balance;
  LogSink* log;                  // may be null
  std::span<Loop* const> loops;  // each worker's, in order
  std::span<class Worker* const> workers;
};

class Worker final : private ListenerOwner, private ConnectionCounter, private Timer {
 public:
  /// index  its place among the crew's loops
  Worker(const Crew& crew, std::size_t index);

  [[nodiscard]] Result<void, NetError> listen(const Address& at, ListenOptions options) {
    return listener_.open(at, options);
  }
  [[nodiscard]] Result<Address, NetError> address() const { return listener_.address(); }

  /// Stops accepting, lets what is in flight come to its end for `within`, then cancels it; and
  /// stops the loop when all is over. Again: the earlier end holds.
  void drain(Duration within);

  [[nodiscard]] std::uint64_t requests() const noexcept {
    return context_.requests.load(std::memory_order_relaxed);
  }

  /// Requests that wait, or whose content is still arriving.
  [[nodiscard]] std::size_t in_flight() const noexcept { return context_.exchanges.in_use(); }

 private:
  void on_accept(Descriptor fd) override;
  void on_accept_failed(NetError error) override;
  void on_connection_ended() noexcept override { crew_.balance.release(index_); }
  /// While draining: looks whether all is over.
  void expire() override;
  void take(Descriptor fd);
  void hand_over(Descriptor fd, std::size_t to);

  const Crew& crew_;
  std::size_t index_;
  LoopContext context_;
  ConnectionsH1 connections_;
  Listener listener_;
  Instant drained_by_ = Instant::max();
};

}  // namespace detail
}  // namespace eider
