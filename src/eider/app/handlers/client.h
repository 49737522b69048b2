// The client of a request, determined with the help of the trusted proxies.
// Layering: `address` is empty if the client is unknown; do not grant rights then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/app/handlers/extract.h"
#include "eider/protocols/http/forwarded_headers.h"

namespace eider {

/// The trusted proxies: App::trust_proxies.
struct ProxyTrust;

/// The client of a request; a parameter of handlers.
///
///     app.trust_proxies("10.0.0.0/8, unix");
///     app.get("/me", [](const ClientInfo& client) { return client.address; });
struct ClientInfo {
  /// "192.0.2.1" or "2001:db8::1"; empty if the address is unknown, for example for a Unix socket.
  std::string address;
  std::optional<std::uint16_t> port;
  /// "http" or "https", as used by the client; a trusted proxy can set it.
  std::string scheme;
  /// The host name in the request of the client.
  std::string host;
};

/// Returns the client of a request: the peer of the connection or, if the peer is trusted, the
/// client that it names.
[[nodiscard]] ClientInfo client_of(const Request& request, const ProxyTrust& trust);

template <>
struct Extract<ClientInfo> {
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  static constexpr bool kOwnsData = true;
  using Held = ClientInfo;
  using Object = ProxyTrust;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

}  // namespace eider
