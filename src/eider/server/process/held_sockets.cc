#include "eider/server/process/held_sockets.h"

#include <algorithm>
#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider::detail::server {

namespace {

Result<Listening, NetError> held(Listener& listener, const Result<void, NetError>& opened) {
  if (!opened) {
    return fail(opened.error());
  }
  listener.hold();
  return Listening{*listener.address(), listener.fd()};
}

}  // namespace

Listener& HeldSockets::add() {
  ListenerOwner& owner = *this;
  return listeners_.emplace_back(loop_, owner);
}

Result<Listening, NetError> HeldSockets::listen(const SocketAddress& at, ListenOptions options,
                                                Preface) {
  Listener& listener = add();
  return held(listener, listener.open(at, options));
}

Result<Listening, NetError> HeldSockets::adopt(Descriptor listening, Preface) {
  Listener& listener = add();
  return held(listener, listener.adopt(std::move(listening)));
}

void HeldSockets::set_ownership(const std::vector<int>& sockets,
                                SocketOwnership ownership) noexcept {
  for (Listener& listener : listeners_) {
    if (std::ranges::find(sockets, listener.fd()) != sockets.end()) {
      listener.set_ownership(ownership);
    }
  }
}

void HeldSockets::await_first(std::function<void()> told) {
  told_ = std::move(told);
  for (const Listener& listener : listeners_) {
    arrivals_.emplace_back(*this).watch(listener.fd(), Readiness::readable);
  }
}

void HeldSockets::on_first() {
  // Otherwise each turn of the loop would report it again, because this process does not accept.
  arrivals_.clear();
  told_();
}

}  // namespace eider::detail::server
