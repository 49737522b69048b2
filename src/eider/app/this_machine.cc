#include "eider/app/this_machine.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "eider/base/text.h"

namespace eider {

namespace {

bool is_loopback(std::string_view address) noexcept {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

/// A page of another site can have its own name lead to this machine; it cannot have it asked for
/// under this machine's name.
bool is_loopback_host(std::string_view authority) noexcept {
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != authority.npos && !authority.ends_with(']');
  const std::string_view host = authority.substr(0, has_port ? colon : authority.npos);
  return equals_ignoring_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace

bool is_of_this_machine(const Request& request) {
  constexpr std::array<std::string_view, 5> kByProxies = {"Forwarded", "X-Forwarded-For",
                                                          "X-Forwarded-Host", "X-Real-IP", "Via"};
  // A proxy that tells nothing of itself still speaks as no browser does: nginx by HTTP/1.0.
  return is_loopback(request.remote_address()) && is_loopback_host(request.head().authority) &&
         request.head().minor_version != 0 &&
         request.header("Sec-Fetch-Site").value_or("") != "cross-site" &&
         std::ranges::none_of(kByProxies, [&request](std::string_view name) {
           return request.header(name).has_value();
         });
}

}  // namespace eider
