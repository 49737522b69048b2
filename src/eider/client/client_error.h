// Why a request of the HTTP client came to nothing.
// Must not be used for answers: a 404 is one, however unwelcome.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/net/error.h"

namespace eider {

enum class ClientFault : std::uint8_t {
  bad_url,             ///< no http:// or https:// URL, or one with a user or an invalid byte
  bad_request,         ///< a field or a content that cannot be sent
  name_not_found,      ///< there is no such name
  lookup_failed,       ///< the name servers do not answer, or with nonsense
  forbidden_address,   ///< allow_address allows none of the host's
  not_connected,       ///< nobody answered at any of the addresses
  proxy_failed,        ///< the proxy cannot be reached, or declined
  tls_failed,          ///< the certificate is not trusted, or the handshake failed
  timed_out,           ///< one of the deadlines; the text says which
  connection_lost,     ///< the connection ended before the answer did
  bad_answer,          ///< what came is no valid HTTP
  too_large,           ///< the answer exceeds a limit; the text says which
  bad_coding,          ///< the content is not what its Content-Encoding says
  too_many_redirects,  ///< more than `redirects_max`
  bad_redirect,        ///< to a URL that is none, or from https to http
};

/// "bad_url", as the enumerator is written.
[[nodiscard]] std::string_view to_text(ClientFault fault) noexcept;

/// fault  for programs
/// text   for people: what happened, where, and what to do about it; one or two sentences
struct ClientError {
  ClientFault fault;
  std::string text;
};

/// What is told of a connection that came to nothing.
[[nodiscard]] ClientError to_client_error(net::ConnectError error);

/// What a handler answers that could not do its work for this: 504 when it timed out, else 502.
[[nodiscard]] Error to_error(const ClientError& error);

}  // namespace eider
