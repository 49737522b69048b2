// Decides whether a request comes from a developer on this machine, who may see errors in detail.
// Layering: must not replace a login or a token, because some proxies cannot be recognized.
#pragma once

#include "eider/protocols/http/request.h"

namespace eider {

struct ProxyTrust;

/// Returns whether a request comes from a loopback address, for a loopback host ("localhost", so
/// that a page of another name cannot read the response), not from another site's page
/// (Sec-Fetch-Site), and through no proxy: the address is not one of trust_proxies(), the request
/// has no header that proxies add (Forwarded, X-Forwarded-*, X-Real-IP, Via, CF-*, …), and it is
/// not HTTP/1.0. A proxy on this machine that adds no header and uses HTTP/1.1 with a loopback Host
/// (HAProxy by default, nginx with keep-alive) cannot be distinguished from a browser, so use this
/// only for what a program shows in development.
///
/// trust  the trusted proxies of the app, as passed by ClientHook
[[nodiscard]] bool is_of_this_machine(const Request& request, const ProxyTrust& trust);

/// Returns whether the peer of a request is a trusted proxy (App::trust_proxies).
[[nodiscard]] bool comes_by_proxy(const Request& request, const ProxyTrust& trust);
/// Returns whether the app trusts any proxies.
[[nodiscard]] bool trusts_proxies(const ProxyTrust& trust) noexcept;

}  // namespace eider
