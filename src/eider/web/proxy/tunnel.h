// Opens a WebSocket between a client and an upstream: forwards the handshake, then bytes.
// Layering: must not parse frames; both ends check them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/client_state.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/web/proxy/forwarding.h"
#include "eider/web/proxy/load.h"
#include "eider/web/proxy/proxy.h"

namespace eider::detail::proxy {

/// Whether a request asks for a WebSocket (RFC 6455, section 4.1; RFC 8441, section 5).
[[nodiscard]] bool wants_websocket(const Request& request) noexcept;

/// Asks the upstream for the same WebSocket.
///
/// client   outlives the task, as do request and options: its names, proxies, TLS and deadlines
/// hold url      its target is asked for, its authority is told as Host route    to the upstream
/// load     kept as long as the tunnel is open
/// returns  the 101, or 200 where HTTP/2 is spoken, whose content joins both connections; or what
///          the upstream answers instead, without content
/// errors   as the client's: not connected, timed out, no HTTP
[[nodiscard]] Task<Result<Response, ClientError>> open_tunnel(client::ClientState& client,
                                                              const Request& request,
                                                              http::HttpUrl url, net::Route route,
                                                              const ProxyOptions& options,
                                                              ForwardedTrust trust, Load load);

}  // namespace eider::detail::proxy
