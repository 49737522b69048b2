// Sockets that a supervisor holds open and its workers accept from.
// Must not accept: whoever connects waits in the kernel's queue.
#pragma once

#include <deque>
#include <vector>

#include "eider/base/result.h"
#include "eider/runtime/listener.h"
#include "eider/server/acceptor.h"

namespace eider::detail::server {

class HeldSockets final : public ListeningHost, private ListenerOwner {
 public:
  explicit HeldSockets(Loop& loop) noexcept : loop_(loop) {}

  [[nodiscard]] Result<Listening, NetError> listen(const Address& at, ListenOptions options,
                                                   Preface preface) override;
  [[nodiscard]] Result<Listening, NetError> adopt(Descriptor listening, Preface preface) override;
  void set_ownership(const std::vector<int>& sockets, SocketOwnership ownership) noexcept;

 private:
  [[nodiscard]] Listener& add();
  void on_accept(Descriptor) override {}
  void on_accept_failed(NetError) override {}

  Loop& loop_;
  std::deque<Listener> listeners_;
};

}  // namespace eider::detail::server
