// The member of a request that contained a rejected value, so that the response can name it.
// Layering: must not decide which values are rejected.
#pragma once

#include <optional>
#include <string>

#include "eider/core/base/refused_value.h"
#include "eider/protocols/http/request.h"

namespace eider::detail::app {

/// pointer     the name of a parameter, or a JSON pointer (RFC 6901) into the body
/// is_of_body  false for the path and the query
struct RefusedMember {
  std::string pointer;
  bool is_of_body;
};

/// Looks for the value in the path, the query, and a body that is JSON text or a form. Returns
/// nothing where the value is not in the request as it is, such as one that a handler has computed.
/// Pre: caused.refused() is not null.
[[nodiscard]] std::optional<RefusedMember> find_member(const Request& request,
                                                       const CausedByValue& caused);

}  // namespace eider::detail::app
