// Restricts access by IP address.
// Layering: must not be the only authorization, because an address does not identify a user.
#pragma once

#include <string>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Blocks separated by commas: "10.0.0.0/8, ::1, 2001:db8::/32". Clients with an unknown address
/// are rejected by any list: for example a peer on an untrusted Unix socket, or a client whose
/// proxy sends no address.
struct AddressList {
  /// Addresses that are allowed; empty: all.
  std::string allow = {};
  /// Addresses that are always rejected, even if `allow` contains them.
  std::string deny = {};
};

/// Rejects other addresses with 403, before guards run and the body is read. The address is that of
/// the connection or, after a trusted proxy (trust_proxies), the one that the proxy sends. Without
/// that trust, all clients of a proxy have its address. "::ffff:10.0.0.1" is 10.0.0.1.
///
///     admin.use(address_list({.allow = "10.0.0.0/8, ::1"}));
///
/// Throws a Failure that names an invalid block.
[[nodiscard]] ClientHook address_list(AddressList list);

}  // namespace eider
