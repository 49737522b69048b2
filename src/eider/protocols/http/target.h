// The characters of request targets and hosts, in HTTP/1.1 and HTTP/2.
// Layering: must not know which request they belong to.
#pragma once

#include <string_view>

namespace eider {

/// uri-host [ ":" port ] (RFC 9110, section 7.2; RFC 3986, section 3.2).
///
/// Without user information and blanks; a port is at most 65535 and follows a name. Empty text is
/// invalid.
[[nodiscard]] bool is_host(std::string_view text) noexcept;

/// Returns the host of such a text, without the port; an IPv6 address keeps its brackets.
[[nodiscard]] std::string_view host_of(std::string_view authority) noexcept;

/// Returns whether the text is absolute-path [ "?" query ]: printable ASCII without the characters
/// that a URL must not contain unencoded, and without a backslash in the path. The router checks
/// percent-escapes.
///
/// source  RFC 9113, section 8.3.1; RFC 3986, appendix A
[[nodiscard]] bool is_origin_form(std::string_view target) noexcept;

/// Returns the path of a received request target, without its query, even if the request was
/// rewritten since. For an absolute target, the path after the host. Empty if there is none, as for
/// "*".
[[nodiscard]] std::string_view asked_path(std::string_view target) noexcept;

}  // namespace eider
