// Whether a request comes from a developer on this machine, who may see what nobody else may.
// Must not be asked in place of a login: in production there are no developers.
#pragma once

#include "eider/http/request.h"

namespace eider {

/// From a loopback address, for a loopback host ("localhost", so that no page of another name can
/// read it), and by no proxy (Forwarded, X-Forwarded-For, X-Forwarded-Host, X-Real-IP, Via).
[[nodiscard]] bool is_of_this_machine(const Request& request);

}  // namespace eider
