// Whether a request comes from a developer on this machine, who may see what nobody else may.
// Must not be asked in place of a login: in production there are no developers.
#pragma once

#include "eider/http/request.h"

namespace eider {

/// From a loopback address, for a loopback host ("localhost", so that no page of another name can
/// read it), not for another site's page (Sec-Fetch-Site), and by no proxy: one adds Forwarded,
/// X-Forwarded-For, X-Forwarded-Host, X-Real-IP or Via, or speaks HTTP/1.0. What does neither
/// cannot be told from a browser.
[[nodiscard]] bool is_of_this_machine(const Request& request);

}  // namespace eider
