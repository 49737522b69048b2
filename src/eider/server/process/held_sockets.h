// Sockets that a supervisor keeps open and its workers accept from.
// Layering: must not accept: connections wait in the kernel's queue.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/listener.h"
#include "eider/server/listening_host.h"

namespace eider::detail::server {

class HeldSockets final : public ListeningHost, private ListenerOwner {
 public:
  explicit HeldSockets(Loop& loop) noexcept : loop_(loop) {}

  [[nodiscard]] Result<Listening, NetError> listen(const SocketAddress& at, ListenOptions options,
                                                   Preface preface) override;
  [[nodiscard]] Result<Listening, NetError> adopt(Descriptor listening, Preface preface) override;
  void set_ownership(const std::vector<int>& sockets, SocketOwnership ownership) noexcept;

  /// Calls `told` once, on the loop, when the first connection waits at any of the sockets, or does
  /// already.
  void await_first(std::function<void()> told);

 private:
  class Arrival final : public FdWatch {
   public:
    explicit Arrival(HeldSockets& held) noexcept : FdWatch(held.loop_), held_(held) {}
    ~Arrival() = default;
    void on_ready(Readiness) override { held_.on_first(); }

   private:
    HeldSockets& held_;
  };

  [[nodiscard]] Listener& add();
  void on_first();
  void on_accept(Descriptor) override {}
  void on_accept_failed(NetError) override {}

  Loop& loop_;
  std::deque<Listener> listeners_;
  std::function<void()> told_;
  std::deque<Arrival> arrivals_;  // destroyed before the sockets that they watch
};

}  // namespace eider::detail::server
