// One listener of a worker, and the first protocol of its connections.
// Layering: must not serve them: its owner does.
#pragma once

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/seal.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// What comes ahead of HTTP.
struct Preface {
  /// A balancer in front tells whose connection it is; without that word a connection is refused,
  /// since the word would be believed from anybody.
  bool has_proxy_protocol = false;
  /// TLS, behind the word of the balancer; null in the clear. Outlives the connections.
  SealMaker* seals = nullptr;
  HttpVersions versions = HttpVersions::all;
};

/// What is listened with at one place.
struct Listening {
  SocketAddress address;
  int socket;
};

/// Whoever listens: a worker, or a supervisor that only holds the sockets.
class ListeningHost {
 public:
  /// Accepts at one more place.
  ///
  /// returns  what is bound, with the port that the kernel chose for port 0
  [[nodiscard]] virtual Result<Listening, NetError> listen(const SocketAddress& at,
                                                           ListenOptions options,
                                                           Preface preface) = 0;
  /// The same with a socket that listens already, and is others'.
  [[nodiscard]] virtual Result<Listening, NetError> adopt(Descriptor listening,
                                                          Preface preface) = 0;

 protected:
  ~ListeningHost() = default;
};

class AcceptorOwner {
 public:
  virtual void on_accept(Descriptor fd, Preface preface) = 0;
  virtual void on_accept_failed(NetError error) = 0;

 protected:
  ~AcceptorOwner() = default;
};

class Acceptor final : private ListenerOwner {
 public:
  Acceptor(Loop& loop, AcceptorOwner& owner, Preface preface) noexcept
      : listener(loop, *this), owner_(owner), preface_(preface) {}

 private:
  void on_accept(Descriptor fd) override { owner_.on_accept(std::move(fd), preface_); }
  void on_accept_failed(NetError error) override { owner_.on_accept_failed(error); }

 public:
  Listener listener;

 private:
  AcceptorOwner& owner_;
  Preface preface_;
};

}  // namespace eider::detail::server
