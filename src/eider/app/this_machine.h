// Decides whether a request comes from a developer on this machine, who may see errors in detail.
// Layering: must not replace a login or a token, because some proxies cannot be recognized.
#pragma once

#include "eider/protocols/http/request.h"

namespace eider {

struct ProxyTrust;

/// Returns whether a request comes from a loopback address, for a loopback host ("localhost", so
/// that a page of another name cannot read the response), not from another site's page
/// (Sec-Fetch-Site), and through no proxy: the address is not one that trust_proxies() names, the
/// request has no header that proxies add (Forwarded, X-Forwarded-*, X-Real-IP, Via, CF-*, …), and
/// it is not HTTP/1.0. A proxy on this machine that adds no header and speaks HTTP/1.1 with a
/// loopback Host (HAProxy by default, nginx with keep-alive) cannot be told from a browser, so use
/// this only for what a program shows in development.
///
/// trust  of the app, as ClientHook passes it
[[nodiscard]] bool is_of_this_machine(const Request& request, const ProxyTrust& trust);

/// Returns whether the peer of a request is one that App::trust_proxies names.
[[nodiscard]] bool comes_by_proxy(const Request& request, const ProxyTrust& trust);
/// Returns whether App::trust_proxies names any.
[[nodiscard]] bool trusts_proxies(const ProxyTrust& trust) noexcept;

}  // namespace eider
