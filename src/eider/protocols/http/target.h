// The characters of request targets and hosts, in HTTP/1.1 and HTTP/2.
// Layering: must not know which request they belong to.
#pragma once

#include <string_view>

namespace eider {

/// uri-host [ ":" port ] (RFC 9110, section 7.2; RFC 3986, section 3.2).
///
/// No user information, no blank, a port up to 65535, and a name before it. Nothing is no host.
[[nodiscard]] bool is_host(std::string_view text) noexcept;

/// The host of such a text, without the port; an IPv6 address keeps its brackets.
[[nodiscard]] std::string_view host_of(std::string_view authority) noexcept;

/// absolute-path [ "?" query ]: printable ASCII without what no URL may hold raw, and no backslash
/// in the path. Escapes are for the router to read.
///
/// source  RFC 9113, section 8.3.1; RFC 3986, appendix A
[[nodiscard]] bool is_origin_form(std::string_view target) noexcept;

/// The path that a target of a request asks for, without its query, whatever a rewrite has made of
/// it since; of an absolute one that behind its host. Empty: it has none, as "*".
[[nodiscard]] std::string_view asked_path(std::string_view target) noexcept;

}  // namespace eider
