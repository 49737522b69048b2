// A WebSocket between a client and an upstream: the handshake passed on, then bytes both ways.
// Must not look into frames: both ends check what the other says.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/detail/http_url.h"
#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/proxy/detail/forwarding.h"
#include "eider/proxy/detail/load.h"
#include "eider/runtime/task.h"

namespace eider::detail {

/// Whether a request asks for a WebSocket (RFC 6455, section 4.1; RFC 8441, section 5).
[[nodiscard]] bool wants_websocket(const Request& request) noexcept;

/// Asks the upstream for the same WebSocket.
///
/// request  outlives the task, as do url and options
/// url      its target is asked for, its authority is told as Host
/// load     kept as long as the tunnel is open
/// returns  the 101, or 200 where HTTP/2 is spoken, whose content joins both connections; or what
///          the upstream answers instead, without content
/// errors   as the client's: not connected, timed out, no HTTP
[[nodiscard]] Task<Result<Response, ClientError>> open_tunnel(const Request& request,
                                                              const HttpUrl& url,
                                                              const ClientOptions& options,
                                                              ForwardedTrust trust, Load load);

}  // namespace eider::detail
