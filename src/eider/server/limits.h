// Limits: the server's limits for clients, each with a safe default and an option.
// Layering: must not contain the limits of single routes, such as the maximum size of their bodies.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/reflect/option_text.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// The default of the maximum size of a route's request body: 1 MiB.
inline constexpr std::size_t kBodyBytesMaxDefault = 1024UL * 1024;

/// The default of the maximum number of connections of one client.
inline constexpr std::size_t kConnectionsPerAddressDefault = 1000;

namespace detail::server {

/// Default: bounds of a number.
struct LimitText {
  std::string_view member;
  std::string_view help;
  std::string_view least = "1";
  std::string_view most = "1000000000";
  OptionUnit unit = OptionUnit::none;
};

template <std::size_t N>
[[nodiscard]] consteval std::array<OptionText, N> limit_options(const LimitText (&limits)[N]) {
  std::array<OptionText, N> all;
  for (std::size_t i = 0; i < N; ++i) {
    const LimitText& from = limits[i];
    all[i] = {from.member, from.help, {}, {}, from.least, from.most, from.unit};
    all[i].is_reloadable = true;
    all[i].is_advanced = true;
    all[i].group = "Limits";
  }
  return all;
}

}  // namespace detail::server

/// The members are also settings: `--limits-idle`, EIDER_LIMITS_IDLE, `[server.limits]` of a file.
/// kOptions describes what each of them limits; the comments have the rest.
struct Limits {
  std::uint32_t head_bytes_max = 16 * 1024;
  std::uint32_t target_bytes_max = 8 * 1024;
  std::uint32_t headers_max = 100;

  std::size_t connections_max = 100'000;
  /// A client is an IPv4 address, or the /64 of an IPv6 address, also if it comes from the PROXY
  /// protocol. The default number does not apply to clients on this machine, with the PROXY
  /// protocol, or to an app that trusts proxies. The reason is that a proxy is one client for all
  /// requests that it forwards. Any other number applies to all.
  std::size_t connections_per_address_max = kConnectionsPerAddressDefault;
  /// Counts requests that wait or whose bodies are still arriving. Each loop has its equal share.
  std::size_t in_flight_max = 65'536;

  /// A route that reads larger bodies as a whole needs more. Incomplete WebSocket messages, and
  /// those that wait for their handlers, have the same limit for themselves.
  std::size_t bodies_bytes_max = 256UL * 1024 * 1024;
  /// Counts until the responses are complete. One body alone may be larger.
  std::size_t decoded_bytes_max = 24UL * 1024 * 1024;

  /// Responses, streams of HTTP/2, WebSocket messages and events. From half of it on, clients have
  /// to read faster than `bytes_per_second_min`. When it is used up, requests to handlers that make
  /// large responses wait for room, and connections that read too slowly are reset. At twice the
  /// limit, the slowest are reset in any case. A single response may be larger. Shared content,
  /// such as static files and published messages, counts once or not at all.
  std::size_t waiting_bytes_max = 16UL * 1024 * 1024;

  /// Threads are started on demand.
  unsigned blocking_threads_max = 16;
  std::size_t blocking_queue_max = 1024;

  /// Each loop has its equal share.
  std::size_t handshakes_max = 4096;
  /// Then the connection is closed without a response.
  Duration handshake = std::chrono::seconds(10);

  /// From the start of the connection or the end of the handshake. Then the connection is closed
  /// without a response.
  Duration first_byte = std::chrono::seconds(30);
  Duration head = std::chrono::seconds(10);
  Duration body = std::chrono::seconds(30);
  /// With HTTP/2, only the stream is reset. The rate is measured when a window ends, and only while
  /// output waits, so it may take two windows.
  Duration write = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 512;
  [[nodiscard]] std::size_t least_bytes(Duration span) const noexcept {
    return eider::least_bytes(span, bytes_per_second_min);
  }
  /// Then the connection is closed without a response.
  Duration idle = std::chrono::seconds(75);

  /// The input is ignored: it is read so that the client sees the response instead of a reset
  /// (RFC 9112, section 9.6).
  Duration linger = std::chrono::seconds(5);
  std::size_t linger_bytes_max = 16UL * 1024 * 1024;

  /// A client that sends FIN while its request waits has disconnected, or has closed only its half
  /// of the connection. The interim `100 Continue` shows which: a disconnected client responds with
  /// a reset, and the request is canceled. HTTP/1.0 clients do not get one.
  Duration half_close_probe = std::chrono::milliseconds(300);

  /// Late requests get 503 with Retry-After until the queue is short again; a burst that is
  /// processed in time does not count (docs/operations/load-shedding.md). It is off by default
  /// because a server cannot distinguish an overload from many patient clients on a busy machine.
  Duration queue_time{0};

  static constexpr auto kOptions = detail::server::limit_options(
      {{"head_bytes_max", "Maximum size of the request line and headers; larger ones get 431",
        "1KiB", "16MiB", OptionUnit::bytes},
       {"target_bytes_max", "Maximum length of the URL; longer ones get 414", "1KiB", "16MiB",
        OptionUnit::bytes},
       {"headers_max", "Maximum number of request headers; more get 431", "1", "10000"},
       {"connections_max", "Maximum number of connections; further ones are closed"},
       {"connections_per_address_max",
        "Maximum number of connections of one client; 0 is any number. The default does not apply "
        "to clients on this machine, or if the app trusts proxies",
        "0"},
       {"in_flight_max",
        "Maximum number of requests that wait or are being received; further ones get 503"},
       {"bodies_bytes_max",
        "Memory of each event loop for request bodies; when it is used up, requests get 503", "0B",
        "1TiB", OptionUnit::bytes},
       {"decoded_bytes_max",
        "Memory of each event loop for decompressed request bodies; when it is used up, requests "
        "get 503",
        "0B", "1TiB", OptionUnit::bytes},
       {"waiting_bytes_max",
        "Memory of each event loop for output that waits for slow clients; when it is used up, the "
        "slowest are reset",
        "0B", "1TiB", OptionUnit::bytes},
       {"blocking_threads_max", "Maximum number of threads for handlers that block", "1", "10000"},
       {"blocking_queue_max",
        "Maximum number of calls that wait for such a thread; further ones get 503", "0"},
       {"handshakes_max",
        "Maximum number of concurrent TLS handshakes; further connections are closed"},
       {"handshake", "Time limit for a TLS handshake", "1ms", "1d"},
       {"first_byte", "Time limit from connecting to the first byte of a request", "1ms", "1d"},
       {"head", "Time limit for receiving the request line and headers; then 408", "1ms", "1d"},
       {"body", "Window in which a request body must reach bytes-per-second-min; else 408", "1ms",
        "1d"},
       {"write",
        "Window in which a client must read its output at bytes-per-second-min; else its "
        "connection is reset",
        "1ms", "1d"},
       {"bytes_per_second_min", "Minimum rate of a request body, and of a client that reads", "0B",
        "1TiB", OptionUnit::bytes},
       {"idle", "Time limit for a keep-alive connection without a request", "1ms", "1d"},
       {"linger", "Time for which the input of a rejected client is still read", "1ms", "1d"},
       {"linger_bytes_max", "Maximum input of a rejected client that is still read", "0B", "1TiB",
        OptionUnit::bytes},
       {"half_close_probe",
        "Delay between a client's FIN and the check whether it has disconnected", "1ms", "1d"},
       {"queue_time",
        "Load shedding: late requests get 503 while requests wait longer than this; 0s disables it",
        "0s", "1d"}});
};

}  // namespace eider
