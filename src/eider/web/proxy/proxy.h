// A reverse proxy as a handler: forwards requests to upstreams and streams their responses.
// Layering: must not change bodies or follow redirects.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "eider/client/client_options.h"
#include "eider/io/runtime/time.h"

namespace eider {

class Routes;

enum class Balancing : std::uint8_t {
  /// The one with the fewest requests and WebSockets in progress on this event loop.
  least_busy,
  /// The same healthy upstream for the same client; few clients move when upstreams are added or
  /// removed.
  consistent_hash,
};

struct ProxyOptions {
  Balancing balancing = Balancing::least_busy;
  /// Request header that consistent_hash uses; empty or absent: the client's address, which a
  /// trusted proxy can set (App::trust_proxies).
  std::string hash_header = {};

  /// Number of consecutive failures after which an upstream is not used for a while (passive health
  /// check). If all are out, they are tried anyway.
  unsigned failures_max = 3;
  Duration ejected_for = std::chrono::seconds(10);
  /// Path for regular requests from startup on (active health check); an upstream is out until it
  /// responds with 2xx or 3xx. Empty: none.
  std::string health_path = {};
  Duration health_every = std::chrono::seconds(5);

  /// Maximum number of upstreams for one request, as long as there is no response. If the
  /// connection failed, any request is tried again. If the upstream may have started the request,
  /// only requests without a body and with an idempotent method are tried again (RFC 9110, section
  /// 9.2.2), and only within client.retry_share.
  unsigned tries_max = 2;

  /// Closes a WebSocket when both sides are silent for this long; use more than the interval of
  /// pings. It is also cut off if client or upstream accepts no data within client.between_bytes,
  /// or if only one side has closed it after the same time.
  Duration tunnel_idle = std::chrono::minutes(10);

  /// Maximum size of a forwarded body; bodies are streamed.
  std::size_t body_bytes_max = std::size_t{1} << 30U;
  /// Sends the client's Host to the upstream instead of its own: for virtual hosts, and for
  /// upstreams that build links. X-Forwarded-Host is always sent. Certificates of https://
  /// upstreams are checked with the name of the upstream.
  bool preserves_host = false;
  /// Trusts X-Forwarded-For, -Proto and -Host of the request, and extends them. Otherwise they are
  /// replaced, and other headers that upstreams may trust are removed. These are other
  /// X-Forwarded-* (-Port, -Prefix, -Server, -Ssl, …), X-Real-IP, X-Client-IP, True-Client-IP,
  /// Front-End-Https, X-Original-URL, X-Rewrite-URL and X-HTTP-Method-Override (also X-HTTP-Method
  /// or X-Method-Override). Use it only after a proxy that sets or removes all of them.
  bool trusts_forwarded = false;
  /// Hides the proxy, as if clients had connected to the upstream: no Via, and proxy headers of
  /// clients are forwarded unchanged. Use it only if all clients may access the upstream directly,
  /// because it treats them as this machine.
  bool is_transparent = false;

  /// Paths that an upstream may read otherwise than the router and its guards get a 400. The router
  /// does not split "/admin%2Fx" and "/admin;a=b/x" at "/admin", but some upstreams do. Set one of
  /// the next three options if the upstream needs such paths, and guard the whole proxy then. This
  /// one allows an encoded slash or backslash (%2F, %5C), such as in keys of an object store.
  bool allows_encoded_slashes = false;
  /// Allows ';' and %3B, such as in matrix parameters.
  bool allows_semicolons = false;
  /// Allows an encoded percent sign that is followed by two hexadecimal digits (%252F), such as in
  /// a URL within a path.
  bool allows_double_encoding = false;

  /// Timeouts, pools and TLS of upstream connections. Used are `connect`, `handshake`, `first_byte`
  /// (after the end of the request body), `between_bytes` (within bodies, in both directions), and
  /// the limits of the pool for each event loop. `total` is ignored, because bodies may take any
  /// time. `http2` enables HTTP/2 for upstreams, independent of the client: for https:// ones that
  /// negotiate it; with Http2Use::always for all, for http:// ones with prior knowledge. WebSockets
  /// use HTTP/1.1 upgrades to upstreams.
  ClientOptions client = {.connections_per_host_max = 1024, .connections_max = 4096};
};

/// Forwards requests at `prefix` and below to one of `upstreams`. The rest of the path after the
/// prefix, and after the prefixes of the groups and mounts around it, is added to the upstream's
/// URL without changes. With "/" the whole path is added, also in a group. WebSockets are
/// forwarded, too. Hop-by-hop headers (RFC 9110, section 7.6.1) are removed, and Via is added.
///
///     proxy_to(app, "/api", {"http://127.0.0.1:9000", "http://127.0.0.1:9001"});
///
/// prefix     literal segments, such as "/api"; "/" in a group or a mounted app is also that
///            group's own path, "/admin"
/// upstreams  "http://host[:port][/path]" or "https://…"
/// errors     throws a Failure (400, since programs often read them at run time) that names an
///            invalid upstream, health_path or client.http_proxy
/// responses  502 if no upstream was reachable or its response was not HTTP, 504 if it was too
///            slow, 404 for a path with dot segments (also for "..;" and "..%5C", which some
///            upstreams treat as such), 400 for a path that an upstream may interpret differently
///            than guards do (allows_encoded_slashes), 413 for a body above the limit of the route,
///            204 for OPTIONS when Max-Forwards is 0
void proxy_to(Routes& routes, const std::string& prefix, std::vector<std::string> upstreams,
              ProxyOptions options = {},
              std::source_location where = std::source_location::current());

}  // namespace eider
