// A listening socket on one event loop: passes each new connection to its owner.
// Layering: must not know the protocol of the connections.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/net_error.h"
#include "eider/io/runtime/timer.h"

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

/// Who is to close a listening socket so that nobody is lost.
enum class SocketOwnership : std::uint8_t {
  own,     // this process, which also removes its Unix path
  shared,  // the same, but that another process removes the path
  others,  // they go on to listen: closing it here loses nobody
};

/// What a loop listens with.
struct ListeningSocket {
  Descriptor fd;
  SocketAddress address;
};

class Listener {
 public:
  Listener(Loop& loop, ListenerOwner& owner) noexcept;
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// Binds and begins accepting. A Unix path that nobody listens on any more is taken over.
  [[nodiscard]] Result<void, NetError> open(const SocketAddress& at, ListenOptions options = {});
  /// The same of a socket that listens already, such as one that systemd passed on. A Unix path
  /// stays when this closes: its maker may go on listening.
  [[nodiscard]] Result<void, NetError> adopt(Descriptor fd);
  /// Whether other processes go on to listen with this socket; as `open` and `adopt` leave it, they
  /// do not and do.
  void set_ownership(SocketOwnership ownership) noexcept { ownership_ = ownership; }
  /// Lets nobody in for now: clients wait in the kernel's queue. Pre: is_open(), and nothing
  /// has been accepted yet.
  void hold() noexcept;
  /// Accepts again, those first that have waited. Pre: `hold`.
  void admit();
  /// The first step of a close that loses no connection: a client that begins to connect now is not
  /// accepted, one that has begun is. A socket of other processes is left to them: this accepts
  /// only connections that it was woken for, and the others accept the rest.
  void begin_closing();
  /// The second: closes once no connection is on its way any more and all are accepted.
  ///
  /// returns  whether it is closed; else ask again in a while, or `close` for want of time. Pre:
  ///          `begin_closing`, whose owner does not close or destroy it when told
  [[nodiscard]] bool try_close();
  /// Stops accepting, and resets what is connected and not accepted; a Unix path that `open` made
  /// is removed.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }
  /// What it is bound to, with the port that the kernel chose for port 0. Pre: is_open().
  [[nodiscard]] Result<SocketAddress, NetError> address() const { return *address_; }
  /// 0 for a Unix path. Pre: is_open().
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Of the socket. Pre: is_open().
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  friend class WatchAccess;

  class Rest final : public Timer {
   public:
    explicit Rest(Listener& listener) noexcept : listener_(listener) {}
    void expire() override;

   private:
    Listener& listener_;
  };

  [[nodiscard]] bool has_handshakes();
  [[nodiscard]] bool leave_to_others();
  void tell_accepted(Descriptor fd);
  void tell_failed(NetError error);
  void remove_path() const noexcept;
  [[nodiscard]] bool is_detached() const noexcept { return rest_.is_armed() || is_held_; }

  Loop& loop_;
  ListenerOwner& owner_;
  Descriptor fd_;
  std::optional<SocketAddress> address_;
  /// While closing: the handshakes that had begun, as far as they are still under way.
  std::optional<std::vector<std::uint64_t>> handshakes_;
  std::uint32_t slot_ = 0;  // the backend's own
  SocketOwnership ownership_ = SocketOwnership::others;
  bool is_held_ = false;   // `hold`
  bool is_short_ = false;  // of descriptors or memory, and the owner knows
  Rest rest_;
};

}  // namespace eider
