// One event loop of a server: accepts connections, serves and drains them.
// Layering: must not own its loop or thread. All of it belongs to the loop's thread once that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/timer.h"
#include "eider/server/acceptor.h"
#include "eider/server/balance.h"
#include "eider/server/connections.h"
#include "eider/server/context.h"
#include "eider/server/heap_trim.h"
#include "eider/server/per_address.h"
#include "eider/server/service.h"
#include "eider/server/state.h"

namespace eider {

class LogSink;

namespace detail::server {

/// Hears of each worker once that all of its connections are over.
class DrainOwner {
 public:
  /// On the worker's thread.
  virtual void on_drained() noexcept = 0;

 protected:
  ~DrainOwner() = default;
};

/// What the workers of one server share. All of it outlives them.
struct WorkerGroup {
  RequestService& service;
  const Limits& limits;
  Balance& balance;
  LogSink* log;                  // may be null
  std::span<Loop* const> loops;  // each worker's, in order
  std::span<class Worker* const> workers;
  const ConnectionProtocol* protocol = nullptr;
  DrainOwner* owner = nullptr;        // stops the loops; null: each worker its own
  PerAddress* per_address = nullptr;  // null: nobody counts them
};

/// Why a server drains.
enum class Departure : std::uint8_t {
  stop,
  /// Another process accepts with the same sockets already.
  handed_over,
};

class Worker final : public ListeningHost,
                     private AcceptorOwner,
                     private ConnectionCounter,
                     private Timer {
 public:
  /// index  its place among the group's loops
  Worker(const WorkerGroup& group, std::size_t index);

  [[nodiscard]] Result<Listening, NetError> listen(const SocketAddress& at, ListenOptions options,
                                                   Preface preface = {}) override;
  [[nodiscard]] Result<Listening, NetError> adopt(Descriptor listening, Preface preface) override;
  /// Who is to close those of its sockets from now on.
  void set_ownership(std::span<const int> sockets, SocketOwnership ownership) noexcept;
  /// On the loop's thread: for what comes from now on.
  void take(const Limits& limits) noexcept;

  /// Lets nobody in between these two: a client that connects waits in the kernel's queue.
  void hold() noexcept;
  void admit();

  /// Stops accepting, lets what is in flight come to its end for `within`, then cancels it; and
  /// says so when all is over. Again: the earlier end holds.
  void drain(Duration within, Departure why = Departure::stop);

  [[nodiscard]] std::uint64_t requests() const noexcept {
    return context_.requests.load(std::memory_order_relaxed);
  }

  /// Of these, for having waited too long.
  [[nodiscard]] std::uint64_t refused() const noexcept { return context_.overload.refused(); }
  /// What it does now. Of connections and requests only so many are looked at.
  [[nodiscard]] LoopState state() const;
  /// From any thread: what the handler that runs is for; nothing where none does.
  [[nodiscard]] PlanName running() const noexcept {
    const void* const endpoint = context_.running.endpoint();
    return endpoint == nullptr ? PlanName() : group_.service.plan_name(endpoint);
  }
  [[nodiscard]] const std::shared_ptr<LoopNumbers>& numbers() const noexcept {
    return context_.numbers;
  }

  /// Blocks of memory that its connections have.
  [[nodiscard]] std::size_t connection_blocks() const noexcept { return connections_.blocks(); }
  /// Requests that wait, or whose content is still arriving.
  [[nodiscard]] std::size_t in_flight() const noexcept { return context_.exchanges.in_use(); }

 private:
  void on_accept(Descriptor fd, Preface preface) override;
  void on_accept_failed(NetError error) override;
  void on_connection_ended() noexcept override {
    group_.balance.release(index_);
    heap_trim_.note(connections_.size());
  }
  /// While draining: looks whether all is over.
  void expire() override;
  void close_listeners(Instant now);
  void end() noexcept;
  void open(Descriptor fd, Preface preface);
  void hand_over(Descriptor fd, Preface preface, std::size_t to);

  const WorkerGroup& group_;
  std::size_t index_;
  LoopContext context_;
  HeapTrim heap_trim_;
  Connections connections_;
  std::deque<Acceptor> acceptors_;
  Instant drained_by_ = Instant::max();
  Instant drains_since_ = Instant::max();
  Instant kept_until_ = Instant::min();
  bool is_drained_ = false;
};

}  // namespace detail::server
}  // namespace eider
