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
  /// A new connection: non-blocking, close-on-exec, TCP_NODELAY. May close or destroy the listener.
  virtual void on_accept(Descriptor fd) = 0;
  /// Accepting failed because descriptors or memory are missing: called once per shortage. The
  /// listener pauses for 50 ms and then tries again.
  virtual void on_accept_failed(NetError error) = 0;

 protected:
  ~ListenerOwner() = default;
};

enum class PortSharing : std::uint8_t { exclusive, shared };

/// When a connection is passed to the owner: when it is established, or only when its first bytes
/// can be read (TCP_DEFER_ACCEPT; a silent client is passed on after a second or two). Use the
/// latter only if the client sends first.
enum class AcceptWhen : std::uint8_t { connected, readable };

struct ListenOptions {
  /// Maximum number of completed handshakes that wait for `accept`; the kernel limits it to
  /// net.core.somaxconn.
  int backlog = 4096;
  /// `shared` lets several loops listen on one port (SO_REUSEPORT); the kernel distributes by hash.
  PortSharing sharing = PortSharing::exclusive;
  AcceptWhen when = AcceptWhen::connected;
};

/// Which process must close a listening socket carefully, so that no connection is lost.
enum class SocketOwnership : std::uint8_t {
  own,     // this process, which also removes the socket's Unix path
  shared,  // the same, except that another process removes the path
  others,  // other processes go on listening, so closing it here loses no connection
};

/// A socket that a loop listens with.
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

  /// Binds and starts accepting. Replaces a Unix path on which no process listens any more.
  [[nodiscard]] Result<void, NetError> open(const SocketAddress& at, ListenOptions options = {});
  /// Starts accepting on a socket that already listens, such as one from systemd. Does not remove a
  /// Unix path when it closes, because its creator may go on listening.
  [[nodiscard]] Result<void, NetError> adopt(Descriptor fd);
  /// Sets whether other processes go on listening with this socket. Default: no after `open`, yes
  /// after `adopt`.
  void set_ownership(SocketOwnership ownership) noexcept { ownership_ = ownership; }
  /// Pauses accepting: clients wait in the kernel's queue. Pre: is_open(), and nothing has been
  /// accepted yet.
  void hold() noexcept;
  /// Resumes accepting, the waiting clients first. Pre: `hold`.
  void admit();
  /// Starts a close that loses no connection: new clients are not accepted, but connections that
  /// have started are. For a socket that other processes also use, accepts only the connections
  /// that this process was woken for; the others accept the rest.
  void begin_closing();
  /// Completes the close if no connection is being established any more and all are accepted.
  ///
  /// returns  whether it is closed; if not, call again later, or call `close` if there is no more
  ///          time. Pre: `begin_closing`, and the owner does not close or destroy the listener in
  ///          its callbacks
  [[nodiscard]] bool try_close();
  /// Stops accepting, and resets connections that were not accepted. Removes a Unix path that
  /// `open` created.
  void close() noexcept;

  [[nodiscard]] bool is_open() const noexcept { return fd_.is_open(); }
  /// Returns the bound address, with the port that the kernel selected for port 0. Pre: is_open().
  [[nodiscard]] Result<SocketAddress, NetError> address() const { return *address_; }
  /// Returns 0 for a Unix path. Pre: is_open().
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Returns the descriptor of the socket. Pre: is_open().
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
  /// While closing: the handshakes that had started, and are not complete yet.
  std::optional<std::vector<std::uint64_t>> handshakes_;
  std::uint32_t slot_ = 0;  // used by the backend
  SocketOwnership ownership_ = SocketOwnership::others;
  bool is_held_ = false;   // `hold`
  bool is_short_ = false;  // of descriptors or memory, and the owner was informed
  Rest rest_;
};

}  // namespace eider
