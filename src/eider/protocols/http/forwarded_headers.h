// The setting for the headers that name the origin of a request.
// Layering: must not bring their readers along (forwarded.h).
#pragma once

#include <cstdint>

namespace eider {

/// The headers that the proxies in front of the server set. Others come from the client and are not
/// trusted.
enum class ForwardedHeaders : std::uint8_t { forwarded, x_forwarded };

}  // namespace eider
