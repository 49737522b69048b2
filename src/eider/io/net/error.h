// Why there is no connection to a server.
// Must not know what it was wanted for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eider::net {

enum class ConnectFault : std::uint8_t {
  name_not_found,     ///< there is no such name
  lookup_failed,      ///< the name servers do not answer, or with nonsense
  forbidden_address,  ///< Options::allow_address allows none of the host's
  not_connected,      ///< nobody answered at any of the addresses
  proxy_failed,       ///< the proxy cannot be reached, or declined
  tls_failed,         ///< the certificate is not trusted, or the handshake failed
  timed_out,          ///< not connected, or not encrypted, in time
};

/// "timed_out", as the enumerator is written.
[[nodiscard]] std::string_view to_text(ConnectFault fault) noexcept;

/// text  for people: what happened, and what to do about it; one or two sentences
struct ConnectError {
  ConnectFault fault;
  std::string text;
};

}  // namespace eider::net
