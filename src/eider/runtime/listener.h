// A listening socket on one loop: gives each new connection to its owner as a descriptor.
// Must not know what is spoken on the connections.
#pragma once

#include <cstdint>
#include <optional>

#include "eider/base/result.h"
#include "eider/runtime/address.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/net_error.h"
#include "eider/runtime/timer.h"

namespace eider {

class Loop;

class ListenerOwner {
 public:
  /// A connection: non-blocking, close-on-exec, TCP_NODELAY. May close or destroy the listener.
  virtual void on_accept(Descriptor fd) = 0;
  /// Accepting failed for want of descriptors or memory: told once per shortage. The listener
  /// rests for 50 ms and tries again by itself.
  virtual void on_accept_failed(NetError error) = 0;

 protected:
  ~ListenerOwner() = default;
};

enum class PortSharing : std::uint8_t { exclusive, shared };

/// When a connection is given to the owner: once it stands, or once its first bytes are there too,
/// so that they can be read at once (TCP_DEFER_ACCEPT; a silent client is given after a second or
/// two). The latter only where the client speaks first.
enum class AcceptWhen : std::uint8_t { connected, readable };

struct ListenOptions {
  /// Finished handshakes that may wait for `accept`; the kernel bounds it by net.core.somaxconn.
  int backlog = 4096;
  /// `shared` lets several loops listen on one port (SO_REUSEPORT), the kernel spreading by hash.
  PortSharing sharing = PortSharing::exclusive;
  AcceptWhen when = AcceptWhen::connected;
};

/// What a loop listens with.
struct ListeningSocket {
  Descriptor fd;
  Address address;
};

class Listener {
 public:
  Listener(Loop& loop, ListenerOwner& owner) noexcept;
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Binds and begins accepting. A Unix path that nobody listens on any more is taken over.
  [[nodiscard]] Result<void, NetError> open(const Address& at, ListenOptions options = {});
  /// The same of a socket that listens already, such as one that systemd passed on. A Unix path
  /// stays when this closes: whoever made it may go on listening.
  [[nodiscard]] Result<void, NetError> adopt(Descriptor fd);
  /// Stops accepting; a Unix path that `open` made is removed.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }
  /// What it is bound to, with the port that the kernel chose for port 0. Pre: is_open().
  [[nodiscard]] Result<Address, NetError> address() const { return *address_; }
  /// 0 for a Unix path. Pre: is_open().
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }

 private:
  friend class WatchAccess;

  class Rest final : public Timer {
   public:
    explicit Rest(Listener& listener) noexcept : listener_(listener) {}
    void expire() override;

   private:
    Listener& listener_;
  };

  void tell_accepted(Descriptor fd);
  void tell_failed(NetError error);
  void remove_path() const noexcept;

  Loop& loop_;
  ListenerOwner& owner_;
  Descriptor fd_;
  std::optional<Address> address_;
  std::uint32_t slot_ = 0;  // the backend's own
  bool owns_path_ = false;
  bool is_short_ = false;  // of descriptors or memory, and the owner knows
  Rest rest_;
};

}  // namespace eider
