#include "eider/io/net/error.h"

namespace eider::net {

std::string_view to_text(ConnectFault fault) noexcept {
  switch (fault) {
    case ConnectFault::name_not_found:
      return "name_not_found";
    case ConnectFault::lookup_failed:
      return "lookup_failed";
    case ConnectFault::forbidden_address:
      return "forbidden_address";
    case ConnectFault::not_connected:
      return "not_connected";
    case ConnectFault::proxy_failed:
      return "proxy_failed";
    case ConnectFault::tls_failed:
      return "tls_failed";
    case ConnectFault::timed_out:
      return "timed_out";
  }
  return {};
}

}  // namespace eider::net
