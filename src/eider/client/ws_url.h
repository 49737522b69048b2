// The URL of a WebSocket service (RFC 6455, section 3).
// Layering: must not resolve its host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/ws_client.h"
#include "eider/core/base/result.h"

namespace eider::detail::client {

/// host       "127.0.0.1", "::1" (without brackets) or a name, as in the URL
/// authority  for the Host header: as in the URL, including brackets and port
/// target     path and query; at least "/"
struct WsUrl {
  bool is_secure = false;
  std::string host;
  std::uint16_t port = 80;
  std::string authority;
  std::string target;
};

/// errors   bad_url  no ws:// or wss:// scheme, no host, a user, a fragment, an invalid port, or a
///                   byte that is not allowed in a URL
/// source   RFC 6455, section 3; RFC 3986, sections 3.2 to 3.4
[[nodiscard]] Result<WsUrl, WsClientError> read_ws_url(std::string_view url);

}  // namespace eider::detail::client
