// The process that this one replaces: its sockets, and its go.
// Layering: must not serve: other code listens on the received sockets.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/server/process/handover.h"

namespace eider::detail::server {

class Predecessor {
 public:
  /// Nobody: this process is the first.
  Predecessor() = default;
  /// Whom EIDER_HANDOVER names, with all sockets that it sends within five seconds; or nobody who
  /// still runs, with those that systemd has stored (descriptor_store.h). The variable is
  /// taken away, since it is for nobody that this process starts. Pre: no other thread uses the
  /// environment
  [[nodiscard]] static Predecessor from_environment();

  [[nodiscard]] bool is_there() const noexcept { return !channel_.is_over(); }

  /// What the process before listens with at that place, which is from now on listened on here,
  /// too: nobody else may close it without a loss.
  ///
  /// returns  empty: nothing, or taken already
  [[nodiscard]] std::vector<Descriptor> take(std::string_view place);

  /// Of all places whose sockets there were, taken or not.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  /// Where nobody is there who goes on with them: what nobody has taken is closed.
  void close_rest() noexcept { places_.clear(); }

  /// Says that this process accepts at all that it has taken. What nobody has taken is closed here,
  /// and goes on over there.
  void tell_ready();
  /// Behind `tell_ready`: where the other process is a supervisor, what it says from then on.
  [[nodiscard]] HandoverChannel take_channel() noexcept { return std::exchange(channel_, {}); }
  /// Waits until the one before accepts no more, or is gone. Pre: `tell_ready`
  ///
  /// is_given_up  asked every now and then
  /// returns      false when it is given up: then the sockets belong to the one before
  [[nodiscard]] bool wait_for_go(const std::function<bool()>& is_given_up);

 private:
  struct Place {
    std::string name;
    std::vector<Descriptor> sockets;
    bool is_taken = false;
  };

  [[nodiscard]] bool find_channel();
  [[nodiscard]] bool receive_all();
  [[nodiscard]] Place& place(std::string_view name);

  HandoverChannel channel_;
  std::vector<Place> places_;
  std::vector<std::string> names_;
};

}  // namespace eider::detail::server
