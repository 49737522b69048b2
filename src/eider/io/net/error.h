// The reasons why a connection to a server failed.
// Layering: must not know the purpose of the connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eider::net {

enum class ConnectFault : std::uint8_t {
  name_not_found,     ///< the host name does not exist
  lookup_failed,      ///< the name servers did not respond, or not correctly
  forbidden_address,  ///< Options::allow_address does not allow any address of the host
  not_connected,      ///< no address of the host accepted the connection
  proxy_failed,       ///< the proxy cannot be reached, or rejected the request
  tls_failed,         ///< the certificate is not trusted, or the handshake failed
  timed_out,          ///< not connected, or no TLS, in time
};

/// Returns the name of the enumerator: "timed_out".
[[nodiscard]] std::string_view to_text(ConnectFault fault) noexcept;

/// text  for people: the problem and the solution, in one or two sentences
struct ConnectError {
  ConnectFault fault;
  std::string text;
};

}  // namespace eider::net
