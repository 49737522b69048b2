// One event loop of a server: accepts connections, serves and drains them.
// Layering: must not own its loop or thread. All of it belongs to the loop's thread once that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/timer.h"
#include "eider/server/balance.h"
#include "eider/server/connections.h"
#include "eider/server/context.h"
#include "eider/server/heap_trim.h"
#include "eider/server/listening_host.h"
#include "eider/server/per_address.h"
#include "eider/server/service.h"
#include "eider/server/state.h"

namespace eider {

class LogSink;

namespace detail::server {

class Lifecycle;

/// Shared by the workers of one server. Everything outlives them.
struct WorkerGroup {
  RequestService& service;
  const Limits& limits;
  Balance& balance;
  LogSink* log;                  // may be null
  std::span<Loop* const> loops;  // of each worker, in order
  std::span<class Worker* const> workers;
  const ConnectionProtocol* protocol = nullptr;
  Lifecycle* owner = nullptr;         // stops the loops; null: each worker stops its own
  PerAddress* per_address = nullptr;  // null: connections per client are not counted
};

/// Why a server drains.
enum class Departure : std::uint8_t {
  stop,
  /// Another process accepts with the same sockets already.
  handed_over,
};

class Worker final : public ListeningHost, private ConnectionCounter, private Timer {
 public:
  /// index  position among the group's loops
  Worker(const WorkerGroup& group, std::size_t index);

  [[nodiscard]] Result<Listening, NetError> listen(const SocketAddress& at, ListenOptions options,
                                                   Preface preface = {}) override;
  [[nodiscard]] Result<Listening, NetError> adopt(Descriptor listening, Preface preface) override;
  /// Sets who must close these sockets.
  void set_ownership(std::span<const int> sockets, SocketOwnership ownership) noexcept;
  /// On the loop's thread: sets limits for new connections and requests.
  void take(const Limits& limits) noexcept;

  /// Does not accept between these two calls: new clients wait in the kernel's queue.
  void hold() noexcept;
  void admit();

  /// Stops accepting, lets requests in flight finish for `within`, then cancels them, and notifies
  /// the owner at the end. If called again, the earlier deadline applies.
  void drain(Duration within, Departure why = Departure::stop);

  [[nodiscard]] std::uint64_t requests() const noexcept {
    return context_.requests.load(std::memory_order_relaxed);
  }

  /// Returns the number of requests rejected because they had waited too long.
  [[nodiscard]] std::uint64_t refused() const noexcept { return context_.overload.refused(); }
  /// Returns the current state, with a limited number of connections and requests.
  [[nodiscard]] LoopState state() const;
  /// From any thread: returns the route of the handler that runs; empty if none.
  [[nodiscard]] PlanName running() const noexcept {
    const void* const endpoint = context_.running.endpoint();
    return endpoint == nullptr ? PlanName() : group_.service.plan_name(endpoint);
  }
  [[nodiscard]] const std::shared_ptr<LoopNumbers>& numbers() const noexcept {
    return context_.numbers;
  }

  /// Returns the number of memory blocks of its connections.
  [[nodiscard]] std::size_t connection_blocks() const noexcept { return connections_.blocks(); }
  /// Returns the number of requests that wait or whose bodies are still arriving.
  [[nodiscard]] std::size_t in_flight() const noexcept { return context_.exchanges.in_use(); }

 private:
  /// One listener, and the first protocol of its connections.
  class Acceptor final : private ListenerOwner {
   public:
    Acceptor(Worker& worker, Preface preface) noexcept
        : listener(worker.context_.loop, *this), worker_(worker), preface_(preface) {}

   private:
    void on_accept(Descriptor fd) override { worker_.on_accept(std::move(fd), preface_); }
    void on_accept_failed(NetError error) override { worker_.on_accept_failed(error); }

   public:
    Listener listener;

   private:
    Worker& worker_;
    Preface preface_;
  };

  void on_accept(Descriptor fd, Preface preface);
  void on_accept_failed(NetError error);
  void on_connection_ended() noexcept override {
    group_.balance.release(index_);
    heap_trim_.note(connections_.size());
  }
  /// While draining: checks whether everything has ended.
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
