// Which fields tell where a request came from: a setting of applications.
// Must not bring their readers along (forwarded.h).
#pragma once

#include <cstdint>

namespace eider {

/// Which fields the proxies in front of us set. The other kind is what the client itself sent.
enum class ForwardedFields : std::uint8_t { forwarded, x_forwarded };

}  // namespace eider
