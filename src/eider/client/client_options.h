// ClientOptions: limits, deadlines, pools, redirects and retries, with safe defaults.
// Layering: must not be changed once a client has been made of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "eider/core/compress/decompressor.h"
#include "eider/io/net/options.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/tls_client.h"

namespace eider {

class CookieJar;

/// When the client uses HTTP/2 (docs/guides/network/http-client-options.md).
enum class Http2Use : std::uint8_t {
  /// For https:// servers that support it (ALPN); HTTP/1.1 for all others.
  negotiated,
  never,
  /// For all servers: over TLS, only HTTP/2 is offered, and http:// servers must support it ("prior
  /// knowledge", RFC 9113, section 3.3).
  always,
};

struct ClientOptions {
  // Deadlines.

  /// Time limit until the socket is connected, with name resolution and the handshake of a proxy.
  Duration connect = std::chrono::seconds(5);
  /// Time limit for the TLS handshake.
  Duration handshake = std::chrono::seconds(5);
  /// Time limit from the request to the end of the response headers.
  Duration first_byte = std::chrono::seconds(30);
  /// Time limit for the whole request: redirects, retries, and the body unless it is read in
  /// pieces.
  Duration total = std::chrono::seconds(60);
  /// Time limit between two pieces of a body that is read in pieces, while a task waits for it and
  /// the request is sent. Also the time limit for the server to accept some of the request body.
  Duration between_bytes = std::chrono::seconds(30);

  // Limits of a response.

  /// Maximum size of a body that is read as a whole, after decompression.
  std::size_t body_bytes_max = std::size_t{16} * 1024 * 1024;
  std::uint32_t head_bytes_max = 128 * 1024;
  std::uint32_t headers_max = 1000;
  /// Requests gzip, br and zstd, and decompresses them and deflate. Another Content-Encoding is an
  /// error. If false, bodies are returned as they were sent, like those of status 206, which are
  /// parts. A request with the header Range accepts no encoding.
  bool decompresses = true;
  /// `bytes_max` also limits bodies that are read in pieces: 1 GiB.
  DecompressionLimits decompression = {.bytes_max = std::uint64_t{1} << 30U};

  // Names and TLS.

  /// "127.0.0.1:53,[::1]:53"; empty: the name servers of the system.
  std::string dns_servers = {};
  /// Maximum time for which a resolved name is cached, whatever its TTL.
  Duration dns_ttl_max = std::chrono::minutes(5);
  /// Called for each address before connecting, after name resolution, also for redirects: use it
  /// for URLs from users. `is_public` (http/cidr.h) rejects this machine and its network. Null: all
  /// addresses are allowed. Not called for proxies; through a proxy, only a host that is an IP
  /// address can be checked here, and the proxy must check names.
  AllowAddress allow_address = nullptr;
  /// Servers are verified by default.
  TlsClientOptions tls = {};
  /// Authorities and sessions that several clients share, instead of `tls`.
  std::shared_ptr<TlsClientContext> tls_context = {};

  // Proxies; use_proxies_of_environment() sets all three.

  /// "http://[user:password@]host:port" or "socks5://…"; empty: none.
  std::string http_proxy = {};
  /// The proxy for https://.
  std::string https_proxy = {};
  /// Hosts without a proxy: "localhost, 10.0.0.0/8, .example.com".
  std::string no_proxy = {};

  // HTTP/2.

  Http2Use http2 = Http2Use::negotiated;
  /// Maximum number of concurrent requests over one connection, as far as the server allows; more
  /// open another connection, or wait.
  std::uint32_t streams_per_connection_max = 100;
  /// If the server sends nothing for this time while a task waits for it, the client sends a PING.
  /// The connection is lost if there is no response in the same time; zero: no PING.
  Duration ping_after = Duration::zero();

  // The pool.

  /// Maximum number of connections in use; further requests wait, at most for `connect`.
  std::size_t connections_per_host_max = 32;
  std::size_t connections_max = 256;
  /// An unused connection is closed after this time. Most servers close after 60 to 75 s.
  Duration idle = std::chrono::seconds(45);

  // Redirects and retries.

  /// 0: redirects are not followed, and returned as responses.
  unsigned redirects_max = 10;
  /// Follows redirects from https to http.
  bool may_redirect_to_http = false;
  /// Sends the body to another origin on 307 and 308. (From http to https of the same host, it is
  /// always sent.) Only headers that are known to contain no secret are sent along, such as Accept
  /// and Content-Type.
  bool may_redirect_body_cross_origin = false;
  /// Maximum retries of one request, only if it is safe
  /// (docs/guides/network/http-client-options.md).
  unsigned retries_max = 2;
  /// Maximum share of retries among all requests, plus a few.
  double retry_share = 0.1;
  /// Delay before the first retry; doubled for each further one, minus a random part.
  Duration backoff = std::chrono::milliseconds(100);
  /// Maximum delay that the server can request (Retry-After); a request with a longer one, or one
  /// that ends after its deadline, is not retried.
  Duration retry_after_max = std::chrono::seconds(5);

  // Habits.

  /// Store of the cookies that are received and sent; null: cookies are ignored.
  std::shared_ptr<CookieJar> cookies = {};

  std::string user_agent = "eider";
  /// A body of this size, or of unknown length, is sent only after the server agrees.
  std::size_t expect_continue_from = std::size_t{1024} * 1024;
  /// Time limit for that: some servers do not support "Expect: 100-continue".
  Duration continue_within = std::chrono::seconds(1);
  /// The seed of random delays; 0: from the clock.
  std::uint64_t seed = 0;
};

/// Sets the proxies from the environment variables http_proxy, https_proxy, all_proxy (for both)
/// and no_proxy. All except http_proxy may also be in upper case: HTTP_PROXY is not read, because
/// clients of CGI programs can set it.
void use_proxies_of_environment(ClientOptions& options);

}  // namespace eider
