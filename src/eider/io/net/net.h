// One way to another server: its name's lookup, a race of its addresses, proxies, TLS and ALPN.
// Must not know what is said over a connection, nor keep one.
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

/// To be offered by ALPN, best first; none is, where it is empty.
using Protocols = std::vector<std::string>;

/// When to give up.
///
/// connected  the name's lookup and a proxy's consent included
/// handshake  from there to an encrypted connection, but not beyond `whole`
struct ConnectDue {
  Instant connected;
  Duration handshake;
  Instant whole = Instant::max();
};

/// A connection over which anything may be said.
///
/// protocol  what ALPN has chosen; empty when nothing was
struct Connection {
  std::unique_ptr<TcpStream> stream;
  std::string protocol = {};
};

/// What all connections of one loop share: remembered names, authorities and sessions of TLS.
class Net {
 public:
  using Connected = Result<Connection, ConnectError>;

  /// dialler  in place of the real one, for tests; may be null
  explicit Net(Options options, std::unique_ptr<Dialler> dialler = nullptr);

  /// Pre: always on the same loop.
  ///
  /// route    outlives the task
  /// errors   ConnectFault says which
  [[nodiscard]] Task<Connected> connect(const Route& route, ConnectDue due, Protocols protocols);

  /// The same without encryption: as far as where the host hears what is said.
  [[nodiscard]] Task<Result<std::unique_ptr<TcpStream>, ConnectError>> reach(const Route& route,
                                                                             Instant due);
  /// Agrees on encryption with the route's host over what is connected to it already.
  ///
  /// errors   tls_failed, timed_out
  [[nodiscard]] Task<Connected> secure(std::unique_ptr<TcpStream> stream, const Route& route,
                                       Instant due, Protocols protocols);

  /// Whether a host may be asked for at a proxy. Over a connection that serves several hosts each
  /// of them has to be asked about; `connect` asks about its own.
  [[nodiscard]] bool allows(const Route& route) const {
    return route.proxy == nullptr || is_allowed_behind_proxy(options_.allow_address, route.host);
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<Seal>> seal_for(const Route& route, Protocols protocols);

  Options options_;
  std::unique_ptr<Dialler> dialler_;
};

}  // namespace eider::net
