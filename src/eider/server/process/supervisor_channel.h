// Messages of a supervisor to its worker: in charge, stop, and its end.
// Layering: must not stop anything: its owner does.
#pragma once

#include <utility>

#include "eider/io/runtime/fd_watch.h"
#include "eider/server/process/handover.h"

namespace eider::detail::server {

class SupervisorChannelOwner {
 public:
  /// `go`: the supervisor owns the sockets from now on; before, no process does. `stop` and
  /// `handed_over`: finish, and exit.
  virtual void on_told(HandoverWord word) = 0;
  /// Called when the supervisor is gone; it is unknown whether other processes listen.
  virtual void on_alone() = 0;

 protected:
  ~SupervisorChannelOwner() = default;
};

/// Used on its loop's thread.
class SupervisorChannel final : private FdWatch {
 public:
  /// owner  must outlive this
  SupervisorChannel(Loop& loop, SupervisorChannelOwner& owner, HandoverChannel channel)
      : FdWatch(loop), owner_(owner), channel_(std::move(channel)) {
    if (channel_.is_over()) {
      owner_.on_alone();
    } else {
      watch(channel_.fd(), Readiness::readable);
    }
  }
  ~SupervisorChannel() = default;

  /// Sends the message, or drops it if the supervisor does not read.
  void say(HandoverWord word) const noexcept { (void)channel_.send(word, {}); }

 private:
  void on_ready(Readiness) override {
    const auto message = channel_.receive(Duration::zero());
    if (message) {
      owner_.on_told(message->word);
    } else if (channel_.is_over()) {
      stop();
      owner_.on_alone();
    }
  }

  SupervisorChannelOwner& owner_;
  HandoverChannel channel_;
};

}  // namespace eider::detail::server
