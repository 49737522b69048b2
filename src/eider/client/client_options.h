// How the HTTP client behaves: its limits, deadlines and habits, with safe defaults.
// Must not be changed once a client has been made of it.
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

/// When the client speaks HTTP/2 (docs/guides/network/http-client-options.md).
enum class Http2Use : std::uint8_t {
  /// To https:// servers that agree (ALPN); HTTP/1.1 to all others.
  negotiated,
  never,
  /// To all: over TLS nothing else is offered, and http:// servers are taken to know it ("prior
  /// knowledge", RFC 9113, section 3.3).
  always,
};

struct ClientOptions {
  // Deadlines.

  /// To a connected socket, the name's lookup and a proxy's consent included.
  Duration connect = std::chrono::seconds(5);
  /// From there to an encrypted connection.
  Duration handshake = std::chrono::seconds(5);
  /// From the request to the end of the answer's head.
  Duration first_byte = std::chrono::seconds(30);
  /// The whole of it: redirects, retries, and content unless it is taken in pieces.
  Duration whole = std::chrono::seconds(60);
  /// Between two pieces of content that is taken in pieces, while somebody waits for it and nothing
  /// is still to be sent; and for the server to take some of what is sent beside such an answer.
  Duration silence = std::chrono::seconds(30);

  // Limits of an answer.

  /// Of content that is gathered whole, after decompression.
  std::size_t body_bytes_max = std::size_t{16} * 1024 * 1024;
  std::uint32_t head_bytes_max = 128 * 1024;
  std::uint32_t fields_max = 1000;
  /// gzip, deflate, br and zstd are asked for, and undone.
  bool decompresses = true;
  /// `bytes_max` also bounds content that is taken in pieces: 1 GiB.
  DecompressionLimits decompression = {.bytes_max = std::uint64_t{1} << 30U};

  // Names and TLS.

  /// "127.0.0.1:53,[::1]:53"; empty: those that the system names.
  std::string dns_servers = {};
  /// However long an answer itself says that it holds.
  Duration dns_ttl_max = std::chrono::minutes(5);
  /// Asked about each address that is to be connected to, behind the name's lookup, for redirects
  /// too: for URLs that somebody else has a say in. `is_public` (http/cidr.h) keeps away from this
  /// machine and its network. Null: all. Not asked about proxies; through one, only a host that is
  /// written as an address is known here, and the rule for names has to be the proxy's.
  AllowAddress allow_address = nullptr;
  /// Servers are verified unless this says otherwise.
  TlsClientOptions tls = {};
  /// In place of `tls`: authorities and sessions that several clients share.
  std::shared_ptr<TlsClientContext> tls_context = {};

  // Proxies; use_proxies_of_environment() sets all three.

  /// "http://[user:password@]host:port" or "socks5://…"; empty: none.
  std::string http_proxy = {};
  /// The same for https://.
  std::string https_proxy = {};
  /// Hosts that are reached directly: "localhost, 10.0.0.0/8, .example.com".
  std::string no_proxy = {};

  // HTTP/2.

  Http2Use http2 = Http2Use::negotiated;
  /// Requests under way at once over one connection, as far as the server allows them; further ones
  /// open another connection, or wait.
  std::uint32_t streams_per_connection_max = 100;
  /// A server that says nothing for so long while somebody waits for it is asked whether it is
  /// there (PING), and lost when it does not answer in the same time; zero: it is not asked.
  Duration ping_after = Duration::zero();

  // The pool.

  /// In use at once; further requests wait, within `connect`.
  std::size_t connections_per_host_max = 32;
  std::size_t connections_max = 256;
  /// An unused connection is closed after so long. Most servers close after 60 to 75 s.
  Duration idle = std::chrono::seconds(45);

  // Redirects and retries.

  /// 0: none is followed, the answer is given as it is.
  unsigned redirects_max = 10;
  /// From https to http.
  bool may_leave_https = false;
  /// With 307 and 308 content goes along to another origin. (It goes from http to https of the same
  /// host without asking.) Fields go along only when they are known to hold no secret, such as
  /// Accept and Content-Type.
  bool may_send_content_elsewhere = false;
  /// Of one request, and only where it is safe (docs/guides/network/http-client-options.md).
  unsigned retries_max = 2;
  /// All retries together are no more than this share of the requests, and a few.
  double retry_share = 0.1;
  /// Before the first retry; doubled for each further one, and less by dice.
  Duration backoff = std::chrono::milliseconds(100);
  /// A server that asks for more patience (Retry-After) gets none.
  Duration retry_after_max = std::chrono::seconds(5);

  // Habits.

  /// Cookies are kept there and sent from there; null: they are no concern of the client's.
  std::shared_ptr<CookieJar> cookies = {};

  std::string user_agent = "eider";
  /// Content of so many bytes, or of unknown length, waits for the server's consent.
  std::size_t expect_continue_from = std::size_t{1024} * 1024;
  /// Not longer, though: some servers know no "Expect: 100-continue".
  Duration continue_within = std::chrono::seconds(1);
  /// Dice are thrown from this; 0: from the clock.
  std::uint64_t seed = 0;
};

/// Sets the proxies to what http_proxy, https_proxy (or HTTPS_PROXY), all_proxy and no_proxy say.
void use_proxies_of_environment(ClientOptions& options);

}  // namespace eider
