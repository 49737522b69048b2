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
#include "eider/web/proxy/proxy.h"
#include "eider/web/proxy/upstreams.h"

namespace eider::detail::proxy {

/// Returns whether a request opens a WebSocket (RFC 6455, section 4.1; RFC 8441, section 5).
[[nodiscard]] bool wants_websocket(const Request& request) noexcept;

/// Requests the same WebSocket from the upstream.
///
/// client     outlives the task, like request and options: its names, proxies, TLS and timeouts
///            apply
/// url        contains the target, and the authority for Host
/// route      to the upstream
/// load       kept as long as the tunnel is open
/// has_asked  outlives the task; set when the upstream may have started to process the request
/// returns    the 101 (a 200 for HTTP/2), whose body connects both sides; or another response of
///            the upstream, without its body
/// errors     those of the client: not connected, timed out, not HTTP
[[nodiscard]] Task<Result<Response, ClientError>> open_tunnel(
    client::ClientState& client, const Request& request, http::HttpUrl url, net::Route route,
    const ProxyOptions& options, ForwardedTrust trust, Load load, bool& has_asked);

}  // namespace eider::detail::proxy
