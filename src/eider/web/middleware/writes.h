// Decides whether a request may change something, and which origin sent it.
// Layering: must not be included by applications.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/request.h"

namespace eider {

struct Operation;

/// Returns true for all methods except the safe ones (RFC 9110, section 9.2.1).
[[nodiscard]] bool may_write(Method method) noexcept;

/// Describes the response of middleware that rejects requests of other sites' pages.
void describe_cross_origin(Operation& operation);

/// Returns whether Origin is one of these, compared without case.
[[nodiscard]] bool is_trusted_origin(const Request& request,
                                     const std::vector<std::string>& trusted_origins);

/// Throws a Failure with `taker` and the first origin that no browser could send: an origin is
/// scheme://host[:port].
void check_origins(std::string_view taker, const std::vector<std::string>& origins);

}  // namespace eider
