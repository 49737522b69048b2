// Host values and the four forms of the request target (RFC 9112, section 3.2).
// Must not know where the target ends: it is given whole.
#pragma once

#include <string_view>

#include "eider/http/head.h"

namespace eider::h1::detail {

/// uri-host [ ":" port ], or nothing at all (RFC 9110, section 7.2; RFC 3986, section 3.2).
///
/// No user information, no blank, a port up to 65535, and a name before it.
[[nodiscard]] bool is_host(std::string_view text) noexcept;

/// Fills form, path, query and authority of a target that does not begin with '/'.
///
/// head     method and target are set, target holds query bytes only; the rest is filled in
/// returns  false when the method cannot have this target, or the target has no form
[[nodiscard]] bool split_target(RequestHead& head) noexcept;

}  // namespace eider::h1::detail
