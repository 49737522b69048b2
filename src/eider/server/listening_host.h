// The interface of an event loop that listens, and the first protocol of its connections.
// Layering: must not accept or serve them.
#pragma once

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/seal.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// Options that apply before the first HTTP byte of a connection.
struct Preface {
  /// Each connection starts with the PROXY protocol, in which a load balancer sends the client's
  /// address. A connection without it is closed, because the address would be trusted from anyone.
  bool has_proxy_protocol = false;
  /// Creates TLS after the PROXY header. Null: no TLS. Outlives the connections.
  SealMaker* seals = nullptr;
  HttpVersions versions = HttpVersions::all;
};

/// A bound address and its listening socket.
struct Listening {
  SocketAddress address;
  int socket;
};

/// Listens on sockets: a worker, or a supervisor that only keeps the sockets open.
class ListeningHost {
 public:
  /// Listens at one more address.
  ///
  /// returns  the bound address, with the port that the kernel chose for port 0
  [[nodiscard]] virtual Result<Listening, NetError> listen(const SocketAddress& at,
                                                           ListenOptions options,
                                                           Preface preface) = 0;
  /// Accepts from a socket that already listens and that belongs to someone else, such as systemd.
  [[nodiscard]] virtual Result<Listening, NetError> adopt(Descriptor listening,
                                                          Preface preface) = 0;

 protected:
  ~ListeningHost() = default;
};

}  // namespace eider::detail::server
