// What a proxy is asked before anything is sent to the host behind it: SOCKS5, or a tunnel of HTTP.
// Must not be asked for what goes to a proxy as a request of HTTP: that needs no consent.
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
