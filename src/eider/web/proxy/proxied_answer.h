// An upstream's answer as the client is given it.
// Must not ask for it.
#pragma once

#include "eider/client/call.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/response.h"
#include "eider/web/proxy/load.h"

namespace eider::detail::proxy {

/// What has come whole is taken along, and its connection given back; else the content streams, no
/// faster than the client takes it, and fails when it stays incomplete.
///
/// client  outlives the response
/// asked   how the request was made: what HEAD is told of content is kept
/// load    kept until the content has left
[[nodiscard]] Response to_response(client::ClientState& client, client::Answered answered,
                                   Method asked, Load load);

}  // namespace eider::detail::proxy
