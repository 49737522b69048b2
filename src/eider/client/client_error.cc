#include "eider/client/client_error.h"

#include <utility>

#include "eider/core/reflect/type_of.h"

namespace eider {

std::string_view to_text(ClientFault fault) noexcept {
  return reflect::enumerator_name(fault);
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
