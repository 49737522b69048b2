// A certificate for development: for this machine's own names, made at start.
// Must not be trusted by anybody, and is never written to a file.
#pragma once

#include "eider/tls/detail/identity.h"

namespace eider::detail {

/// EC P-256, for localhost, 127.0.0.1 and ::1; valid from an hour before `now` for 90 days.
[[nodiscard]] Identity make_self_signed(std::time_t now);

}  // namespace eider::detail
