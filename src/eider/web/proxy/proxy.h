// A reverse proxy as a handler: requests go on to other servers, answers stream back.
// Must not change content, and follows no redirects: what the upstream says is what is said.
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
  /// The one with the fewest requests and WebSockets under way on this loop.
  least_busy,
  /// The same one for the same client as long as it is well, and few change when one comes or goes.
  consistent_hash,
};

struct ProxyOptions {
  Balancing balancing = Balancing::least_busy;
  /// Of consistent_hash: the request's field that is hashed; empty or absent: the client's address.
  std::string hash_field = {};

  /// So many failures one after the other take an upstream out, for so long (passive health). When
  /// all are out they are tried all the same.
  unsigned failures_max = 3;
  Duration out_for = std::chrono::seconds(10);
  /// Asked for regularly from the server's start on (active health); an upstream is out until this
  /// is answered with 2xx or 3xx. Empty: not asked.
  std::string health_path = {};
  Duration health_every = std::chrono::seconds(5);

  /// Upstreams that are tried for one request, as long as nothing has been answered. Behind one
  /// that could not be reached any request is tried again. Behind one that may have begun with it
  /// only requests without content whose method is idempotent are (RFC 9110, section 9.2.2), and
  /// only within client.retry_share.
  unsigned tries_max = 2;

  /// A WebSocket on which neither side says anything for so long is ended: more than the time
  /// between two pings of either. One whose client or upstream takes nothing of what waits for it
  /// in client.silence is cut off, and so is one that one side has ended and the other has not
  /// after the same time.
  Duration tunnel_idle = std::chrono::minutes(10);

  /// The largest content that is passed on; it is not gathered here.
  std::size_t body_bytes_max = std::size_t{1} << 30U;
  /// The upstream is told the client's Host, and not its own: for sites by name, and for upstreams
  /// that make links of it. X-Forwarded-Host is told either way. Certificates of https:// upstreams
  /// are checked against the upstream's name all the same.
  bool keeps_host = false;
  /// X-Forwarded-For, -Proto and -Host of the request are believed, and added to; else they are
  /// replaced by what is known here, and what else upstreams take for a proxy's word stays behind:
  /// other X-Forwarded-* (-Port, -Prefix, -Server, -Ssl, …), X-Real-IP, X-Client-IP,
  /// True-Client-IP, Front-End-Https, X-Original-URL, X-Rewrite-URL and X-HTTP-Method-Override
  /// (also as X-HTTP-Method or X-Method-Override). Only behind a proxy that sets or drops all.
  bool trusts_forwarded = false;
  /// The upstream is told nothing of a proxy, as if clients had connected to it: no Via, and what
  /// they say of proxies goes on as it came. Only where all that may connect here may connect
  /// there, too: the upstream takes them for this machine's.
  bool is_unseen = false;

  /// Paths that an upstream may read otherwise than the router and its guards do get a 400: the
  /// router does not split "/admin%2Fx" and "/admin;a=b/x" at "/admin", but some upstreams do. Set
  /// one of these if the upstream needs such paths, and guard the whole proxy then: an encoded
  /// slash or backslash (%2F, %5C), such as in keys of an object store;
  bool passes_encoded_slashes = false;
  /// ';' and %3B, such as in matrix parameters;
  bool passes_semicolons = false;
  /// a percent sign that is encoded and followed by two hexadecimal digits (%252F), such as in a
  /// URL within a path.
  bool passes_double_encodings = false;

  /// Deadlines, pools and TLS towards upstreams: `connect`, `handshake`, `first_byte` (from the end
  /// of the request's content), `silence` (within content, of either direction), and the pool's
  /// bounds, which hold on each loop. Content takes as long as it takes: `whole` does not count.
  /// `http2` says when upstreams are asked over HTTP/2, whatever the client speaks: https:// ones
  /// that agree; with Http2Use::always all, http:// ones by prior knowledge. WebSockets are
  /// upgrades of HTTP/1.1 towards upstreams.
  ClientOptions client = {.connections_per_host_max = 1024, .connections_max = 4096};
};

/// Forwards requests at `prefix` and below to one of `upstreams`. The rest of the path after the
/// prefix, and after the prefixes of the groups and mounts around it, is added to the upstream's
/// URL, as it came. With "/" the whole path is added, also in a group. WebSockets are forwarded,
/// too. Fields between two neighbors only (RFC 9110, section 7.6.1) are left out, and Via is added.
///
///     proxy_to(app, "/api", {"http://127.0.0.1:9000", "http://127.0.0.1:9001"});
///
/// prefix     literal segments, such as "/api"; "/" in a group or a mounted app is also that
///            group's own path, "/admin"
/// upstreams  "http://host[:port][/path]" or "https://…"
/// errors     throws a Failure (400, since these are often told to a program) that names an
/// upstream
///            that is no such URL, or says what is wrong with health_path or client.http_proxy
/// answers    502 when no upstream could be asked or what it said was no HTTP, 504 when it was too
///            slow, 404 for a path with dot segments (also for "..;" and "..%5C", which only some
///            upstreams take for such), 400 for a path that an upstream may read otherwise than
///            guards do (passes_encoded_slashes), 413 for content beyond the route's bound, 204 for
///            OPTIONS that has come as far as its Max-Forwards lets it
void proxy_to(Routes& routes, const std::string& prefix, std::vector<std::string> upstreams,
              ProxyOptions options = {},
              std::source_location where = std::source_location::current());

}  // namespace eider
