// What ":path" and ":authority" may hold: the same as a target and a Host of HTTP/1.1.
// Must not know which request they belong to.
#pragma once

#include <string_view>

namespace eider::h2::detail {

/// uri-host [ ":" port ] (RFC 9110, section 7.2; RFC 3986, section 3.2).
///
/// No user information, no blank, a port up to 65535, and a name before it. Nothing is no host.
[[nodiscard]] bool is_host(std::string_view text) noexcept;

/// absolute-path [ "?" query ]: printable ASCII without what no URL may hold raw, no backslash and
/// no cut escape in the path.
///
/// source  RFC 9113, section 8.3.1; RFC 3986, appendix A
[[nodiscard]] bool is_origin_form(std::string_view target) noexcept;

}  // namespace eider::h2::detail
