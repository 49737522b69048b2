// The reasons why a request of the HTTP client failed.
// Layering: must not be used for responses, such as a 404.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/net/error.h"

namespace eider {

enum class ClientFault : std::uint8_t {
  bad_url,             ///< not an http:// or https:// URL, or one with a user or an invalid byte
  bad_request,         ///< a header or a body that cannot be sent
  name_not_found,      ///< the host name does not exist
  lookup_failed,       ///< the name servers did not respond, or not correctly
  forbidden_address,   ///< allow_address does not allow any address of the host
  not_connected,       ///< no address of the host accepted the connection
  proxy_failed,        ///< the proxy cannot be reached, or rejected the request
  tls_failed,          ///< the certificate is not trusted, or the handshake failed
  timed_out,           ///< a deadline passed; the text names it
  connection_lost,     ///< the connection closed before the response was complete
  bad_response,        ///< the response is not valid HTTP
  too_large,           ///< the response exceeds a limit; the text names it
  bad_coding,          ///< an unknown Content-Encoding, or a body that does not match it
  too_many_redirects,  ///< more than `redirects_max`
  bad_redirect,        ///< an invalid URL, or from https to http
};

/// Returns the name of the enumerator: "bad_url".
[[nodiscard]] std::string_view to_text(ClientFault fault) noexcept;

/// An error of the HTTP client.
///
/// fault  for programs
/// text   for people: the problem, the place and the solution, in one or two sentences
struct ClientError {
  ClientFault fault;
  std::string text;
};

/// Converts the error of a connection.
[[nodiscard]] ClientError to_client_error(net::ConnectError error);

/// Converts the error to the response of a handler: 504 if it timed out, else 502.
[[nodiscard]] Error to_error(const ClientError& error);

}  // namespace eider
