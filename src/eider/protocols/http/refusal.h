// The reasons to reject a well-formed request, for every protocol version.
// Layering: must not contain errors of the syntax of one protocol: h1/refusal.h and
// h2/head_builder.cc do.
#pragma once

#include <string_view>

namespace eider {

struct RequestRefusal {
  int status;
  /// A sentence for the client; a literal.
  std::string_view text;
  /// The Retry-After header, in seconds; 0: no header.
  unsigned retry_after_seconds = 0;
};

/// RFC 9110, section 15.5.14
inline constexpr RequestRefusal kBodyTooLarge{413, "The request body is too large."};
/// RFC 9110, section 15.5.9
inline constexpr RequestRefusal kBodyTooSlow{408, "The request body took too long to arrive."};
/// RFC 9110, section 15.6.4
inline constexpr RequestRefusal kTooBusy{503, "The server is busy. Try again in a moment."};
/// RFC 9110, sections 10.2.3 and 15.6.4
inline constexpr RequestRefusal kOverloaded{503, "The server is overloaded. Try again later.", 1};
/// RFC 9110, section 7.8: a client may use the new protocol only after its whole request.
inline constexpr RequestRefusal kContentOfUpgrade{
    400, "A request that switches protocols must not have a body."};

/// RFC 8441, section 5
inline constexpr RequestRefusal kNoWebSocket{501,
                                             "This URL does not accept WebSocket connections."};

}  // namespace eider
