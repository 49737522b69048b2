// What App::trust_proxies was told.
// Must not be included by applications.
#pragma once

#include "eider/http/cidr.h"
#include "eider/http/forwarded_fields.h"

namespace eider {

struct ProxyTrust {
  TrustedPeers peers;
  ForwardedFields fields = ForwardedFields::x_forwarded;
};

}  // namespace eider
