#include "eider/client/client_error.h"

#include <utility>

namespace eider {

std::string_view to_text(ClientFault fault) noexcept {
  switch (fault) {
    case ClientFault::bad_url:
      return "bad_url";
    case ClientFault::bad_request:
      return "bad_request";
    case ClientFault::name_not_found:
      return "name_not_found";
    case ClientFault::lookup_failed:
      return "lookup_failed";
    case ClientFault::forbidden_address:
      return "forbidden_address";
    case ClientFault::not_connected:
      return "not_connected";
    case ClientFault::proxy_failed:
      return "proxy_failed";
    case ClientFault::tls_failed:
      return "tls_failed";
    case ClientFault::timed_out:
      return "timed_out";
    case ClientFault::connection_lost:
      return "connection_lost";
    case ClientFault::bad_response:
      return "bad_response";
    case ClientFault::too_large:
      return "too_large";
    case ClientFault::bad_coding:
      return "bad_coding";
    case ClientFault::too_many_redirects:
      return "too_many_redirects";
    case ClientFault::bad_redirect:
      return "bad_redirect";
  }
  return {};
}

ClientError to_client_error(net::ConnectError error) {
  const auto as = [&](ClientFault fault) { return ClientError{fault, std::move(error.text)}; };
  switch (error.fault) {
    case net::ConnectFault::name_not_found:
      return as(ClientFault::name_not_found);
    case net::ConnectFault::lookup_failed:
      return as(ClientFault::lookup_failed);
    case net::ConnectFault::forbidden_address:
      return as(ClientFault::forbidden_address);
    case net::ConnectFault::not_connected:
      return as(ClientFault::not_connected);
    case net::ConnectFault::proxy_failed:
      return as(ClientFault::proxy_failed);
    case net::ConnectFault::tls_failed:
      return as(ClientFault::tls_failed);
    case net::ConnectFault::timed_out:
      break;
  }
  return as(ClientFault::timed_out);
}

Error to_error(const ClientError& error) {
  const bool is_late = error.fault == ClientFault::timed_out;
  return Error(is_late ? 504 : 502, is_late ? "An upstream service did not respond in time."
                                            : "An upstream service did not respond.")
      .because(error.text);
}

}  // namespace eider
