#include "eider/app/handlers/client.h"

#include "eider/app/handlers/client_address.h"
#include "eider/app/route_table.h"
#include "eider/protocols/http/forwarded.h"

namespace eider {

namespace {

/// A proxy could send any text, so only valid schemes are returned.
std::string scheme_of(const Request& request, const RequestOrigin& origin) {
  return is_over_tls(origin, request.tls().has_value()) ? "https" : "http";
}

std::string_view host_of(const Request& request, const RequestOrigin& origin) {
  return origin.host.empty() ? std::string_view(request.head().authority) : origin.host;
}

RequestOrigin origin_of(const Request& request, const ProxyTrust& trust) {
  const PeerEnd peer = PeerEnd::parse(request.remote_address());
  return find_origin(peer, request.headers(), trust.fields, trust.peers);
}

}  // namespace

std::optional<IpAddress> client_address_of(const Request& request, const ProxyTrust& trust) {
  return origin_of(request, trust).address;
}

std::string client_origin_of(const Request& request, const ProxyTrust& trust) {
  const RequestOrigin origin = origin_of(request, trust);
  return scheme_of(request, origin).append("://").append(host_of(request, origin));
}

ClientInfo client_of(const Request& request, const ProxyTrust& trust) {
  const RequestOrigin origin = origin_of(request, trust);
  return {.address = origin.address ? origin.address->to_text() : std::string(),
          .port = origin.port,
          .scheme = scheme_of(request, origin),
          .host = std::string(host_of(request, origin))};
}

Result<ClientInfo> Extract<ClientInfo>::from(const Context& context, ArgumentPlace place) {
  return client_of(context.request,
                   *static_cast<const ProxyTrust*>(context.states[place.state_index]));
}

}  // namespace eider
