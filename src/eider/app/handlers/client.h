// Which client a request is from, by the word of the proxies that the application trusts.
// Must not be asked for rights where `address` is empty: then nobody knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/app/handlers/extract.h"
#include "eider/protocols/http/forwarded_fields.h"

namespace eider {

/// Whom to believe, and about what: App::trust_proxies.
struct ProxyTrust;

/// A parameter of a handler.
///
///     app.trust_proxies("10.0.0.0/8, unix");
///     app.get("/me", [](const Client& client) { return client.address; });
struct Client {
  /// "192.0.2.1" or "2001:db8::1"; empty where no trusted peer says an address, as for the
  /// peers of a Unix socket.
  std::string address;
  std::optional<std::uint16_t> port;
  /// "http", or what the proxy says that the client spoke to it.
  std::string scheme;
  /// The Host that the client asked for.
  std::string host;
};

/// The client of a request: the connection's other end, or, when that is trusted, whom it names.
[[nodiscard]] Client client_of(const Request& request, const ProxyTrust& trust);

template <>
struct Extract<Client> {
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  static constexpr bool kOwns = true;
  using Held = Client;
  using Object = ProxyTrust;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

}  // namespace eider
