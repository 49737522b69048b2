// Connects to a server: name resolution, address race, proxies, TLS and ALPN.
// Layering: must not know the protocol of a connection, nor store connections.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/net/dialler.h"
#include "eider/io/net/error.h"
#include "eider/io/net/options.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/seal.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"

namespace eider::net {

/// The protocols to offer by ALPN, in order of preference; empty: no ALPN.
using Protocols = std::vector<std::string>;

/// Deadlines of a connection.
///
/// connected  with name resolution and the handshake of a proxy
/// handshake  from then to the encrypted connection, but not beyond `whole`
struct ConnectDue {
  Instant connected;
  Duration handshake;
  Instant whole = Instant::max();
};

/// A connection for any protocol.
///
/// protocol  selected by ALPN; empty without ALPN
struct Connection {
  std::unique_ptr<TcpStream> stream;
  std::string protocol = {};
};

/// The state that all connections of one event loop share: cached names, authorities and TLS
/// sessions.
class Net {
 public:
  using Connected = Result<Connection, ConnectError>;

  /// dialler  for tests, instead of the real one; may be null
  explicit Net(Options options, std::unique_ptr<Dialler> dialler = nullptr);

  /// Connects to a host. Pre: always on the same event loop.
  ///
  /// route    outlives the task
  /// errors   see ConnectFault
  [[nodiscard]] Task<Connected> connect(const Route& route, ConnectDue due, Protocols protocols);

  /// Connects without TLS.
  [[nodiscard]] Task<Result<std::unique_ptr<TcpStream>, ConnectError>> reach(const Route& route,
                                                                             Instant due);
  /// Makes the TLS handshake with the route's host over a connected stream.
  ///
  /// errors   tls_failed, timed_out
  [[nodiscard]] Task<Connected> secure(std::unique_ptr<TcpStream> stream, const Route& route,
                                       Instant due, Protocols protocols);

  /// Returns whether a host is allowed through a proxy. Call it for each host of a connection that
  /// serves several hosts; `connect` checks its own.
  [[nodiscard]] bool allows(const Route& route) const {
    return route.proxy == nullptr || is_allowed_behind_proxy(options_.allow_address, route.host);
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Seal>> seal_for(const Route& route, Protocols protocols);

  Options options_;
  std::unique_ptr<Dialler> dialler_;
};

}  // namespace eider::net
