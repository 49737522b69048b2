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
  /// No previous process: this one is the first.
  Predecessor() = default;
  /// Reads EIDER_HANDOVER, and receives the sockets that the process sends within five seconds.
  /// Without it, there is no process, but the sockets that systemd has stored (descriptor_store.h).
  /// The variable is removed, so that started processes do not inherit it. Pre: no other thread
  /// uses the environment
  [[nodiscard]] static Predecessor from_environment();

  [[nodiscard]] bool is_there() const noexcept { return !channel_.is_over(); }

  /// Returns the sockets of the previous process at that address. From now on, this process listens
  /// on them too, so closing them elsewhere loses connections.
  ///
  /// returns  empty: there are none, or they were taken before
  [[nodiscard]] std::vector<Descriptor> take(std::string_view place);

  /// Returns the names of all addresses with sockets, taken or not.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

  /// Closes sockets that were not taken, if no other process continues with them.
  void close_rest() noexcept { places_.clear(); }

  /// Notifies the previous process that this one accepts at all addresses that it has taken.
  /// Sockets that were not taken are closed here, and continue there.
  void tell_ready();
  /// After `tell_ready`, if the other process is a supervisor: returns the channel for its
  /// messages.
  [[nodiscard]] HandoverChannel take_channel() noexcept { return std::exchange(channel_, {}); }
  /// Waits until the previous process accepts no more, or has ended. Pre: `tell_ready`
  ///
  /// is_given_up  called from time to time
  /// returns      false if it returned true: then the sockets belong to the previous process
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
