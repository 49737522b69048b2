// Which addresses may ask.
// Must not be all there is to know who asks: an address is a network's, no person's.
#pragma once

#include <string>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Blocks separated by commas, "10.0.0.0/8, ::1, 2001:db8::/32". A client whose address nobody
/// knows may not ask, whichever list there is: a peer on a Unix socket that is not trusted, or one
/// whose proxy names no address.
struct AddressList {
  /// Where it is not empty, only these.
  std::string allow = {};
  /// Never these, whatever `allow` says.
  std::string deny = {};
};

/// Others are a 403, ahead of guards and content. The address is the connection's, or behind a
/// proxy that the app trusts (trust_proxies) the one that it names: without that trust all behind a
/// proxy have the proxy's. "::ffff:10.0.0.1" is 10.0.0.1.
///
///     admin.use(address_list({.allow = "10.0.0.0/8, ::1"}));
///
/// Throws a Failure that names a wrong block.
[[nodiscard]] ClientHook address_list(AddressList list);

}  // namespace eider
