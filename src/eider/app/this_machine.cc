#include "eider/app/this_machine.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "eider/app/route_table.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

bool is_loopback(std::string_view address) noexcept {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

/// Returns whether the host is a name of this machine. A page of another site can resolve its own
/// name to this machine, but its requests then contain that name.
bool is_loopback_host(std::string_view authority) noexcept {
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != authority.npos && !authority.ends_with(']');
  const std::string_view host = authority.substr(0, has_port ? colon : authority.npos);
  return equals_ignoring_case(host, "localhost") || host == "127.0.0.1" || host == "[::1]";
}

/// Prefixes of headers that proxies, load balancers and content delivery networks add.
constexpr std::array<std::string_view, 20> kOfProxies = {
    "Forwarded",  "X-Forwarded",  "Via",        "X-Real-",      "X-Original-",
    "X-Rewrite-", "X-Client-",    "X-Cluster-", "X-ProxyUser-", "X-Amz",
    "X-Azure-",   "X-Envoy-",     "X-Scheme",   "X-Varnish",    "CF-",
    "CDN-",       "True-Client-", "Fastly-",    "Front-End-",   "Proxy-"};

bool is_of_proxies(const Field& field) noexcept {
  return std::ranges::any_of(kOfProxies, [&field](std::string_view start) {
    return equals_ignoring_case(field.name.substr(0, start.size()), start);
  });
}

}  // namespace

bool is_of_this_machine(const Request& request, const ProxyTrust& trust) {
  // A proxy that adds no header can often be recognized: nginx uses HTTP/1.0 by default.
  return is_loopback(request.remote_address()) && !comes_by_proxy(request, trust) &&
         is_loopback_host(request.head().authority) && request.head().minor_version != 0 &&
         request.header("Sec-Fetch-Site").value_or("") != "cross-site" &&
         std::ranges::none_of(request.headers(), is_of_proxies);
}

bool comes_by_proxy(const Request& request, const ProxyTrust& trust) {
  return trust.peers.trusts(PeerEnd::parse(request.remote_address()));
}

bool trusts_proxies(const ProxyTrust& trust) noexcept {
  return !trust.peers.empty();
}

}  // namespace eider
