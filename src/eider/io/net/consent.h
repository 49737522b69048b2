// The handshake with a proxy: SOCKS5, or an HTTP tunnel.
// Layering: must not be used for plain HTTP requests through a proxy: they need no handshake.
#pragma once

#include <optional>
#include <string>

#include "eider/io/net/route.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"

namespace eider::net {

/// Asks the proxy to connect us to the route's host, without a deadline.
///
/// stream   connected to the proxy; what comes behind its consent is left unread
/// route    outlives the task, as the stream does
/// returns  a sentence when it came to nothing: it was lost, declined, or answered with nonsense
[[nodiscard]] Task<std::optional<std::string>> ask_consent(TcpStream& stream, const Route& route);

}  // namespace eider::net
