#include "eider/io/net/route.h"

#include "eider/protocols/http/ip_address.h"

namespace eider::net {

bool is_allowed(const AllowAddress& allow, std::string_view address) {
  if (allow == nullptr) {
    return true;
  }
  const auto read = IpAddress::parse(address);
  return read && allow(*read);
}

// "localhost" is always this machine, even without resolving it, so check its address.
bool is_allowed_behind_proxy(const AllowAddress& allow, std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) {
    return is_allowed(allow, "127.0.0.1");
  }
  return !IpAddress::parse(host) || is_allowed(allow, host);
}

ConnectError forbidden(std::string_view host) {
  return {ConnectFault::forbidden_address,
          "allow_address does not allow any address of " + std::string(host) + "."};
}

}  // namespace eider::net
