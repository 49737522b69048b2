// Decides whether a request may change something, and which origin sent it.
// Layering: must not be included by applications.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/request.h"

namespace eider {

struct Operation;

/// All but the safe methods (RFC 9110, section 9.2.1).
[[nodiscard]] bool may_write(Method method) noexcept;

/// Of what keeps other sites' pages from writing.
void describe_cross_origin(Operation& operation);

/// Whether Origin is one of these, compared without case.
[[nodiscard]] bool is_trusted_origin(const Request& request,
                                     const std::vector<std::string>& trusted_origins);

/// Throws a Failure that names the taker and the first that no browser could send: an origin is
/// scheme://host[:port].
void check_origins(std::string_view taker, const std::vector<std::string>& origins);

}  // namespace eider
