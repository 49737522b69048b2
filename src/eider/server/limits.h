// What one client may cost, and for how long: every bound of the server, with a safe default.
// Must not hold what routes decide for themselves, such as how large a body they take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// The largest body that a route takes unless it says otherwise: 1 MiB.
inline constexpr std::size_t kBodyBytesMaxDefault = 1024UL * 1024;

/// Connections of one client, unless the program or a setting chooses another number.
inline constexpr std::size_t kConnectionsPerAddressDefault = 1000;

struct Limits {
  /// A request head, from its first byte to its empty line; a larger one is a 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// A request target; a longer one is a 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// Field lines of one head; more are a 431.
  std::uint32_t fields_max = 100;

  /// Connections of the whole server; what comes beyond is closed at once.
  std::size_t connections_max = 100'000;
  /// The same from one client: an IPv4 address, or the /64 of an IPv6 address, as the PROXY
  /// protocol says where that is spoken. 0 is no bound. The default number does not apply to
  /// clients on this machine, nor with the PROXY protocol or an app that trusts proxies: a proxy is
  /// one client, whatever it forwards. Any other number applies to all.
  std::size_t connections_per_address_max = kConnectionsPerAddressDefault;
  /// Requests of the whole server that wait or whose bodies are still arriving; further ones of
  /// that kind are a 503. Each loop has its equal share.
  std::size_t in_flight_max = 65'536;

  /// Bodies that one loop holds in memory, all of them together, until their handlers are done;
  /// what comes beyond is a 503. A route that takes larger ones as a whole needs more.
  std::size_t bodies_bytes_max = 256UL * 1024 * 1024;
  /// Request bodies that one loop holds decompressed, all of them together, until their responses
  /// are complete; more is a 503. One body alone may be larger.
  std::size_t decoded_bytes_max = 24UL * 1024 * 1024;

  /// Memory of one loop for output that waits for slow clients: responses, streams of HTTP/2,
  /// WebSocket messages, events. From half of it on, clients have to read faster than
  /// `bytes_per_second_min`. When it is used up, requests to handlers that make large responses
  /// wait for room, and connections that read too slowly are reset; at twice the limit, the slowest
  /// are reset in any case. A single response may be larger. Content that is shared, such as static
  /// files and published messages, counts once or not at all.
  std::size_t waiting_bytes_max = 16UL * 1024 * 1024;

  /// Threads for work that blocks, of the whole server, started on demand; and what may wait for
  /// one: further work is a 503.
  unsigned blocking_threads_max = 16;
  std::size_t blocking_queue_max = 1024;

  /// TLS: handshakes of the whole server that are under way; connections beyond are closed at once.
  /// Each loop has its equal share.
  std::size_t handshakes_max = 4096;
  /// From the connection's begin to the handshake's end; then it is closed without a word.
  Duration handshake = std::chrono::seconds(10);

  /// From the connection's begin, or from the handshake's end, to the first byte; then it is closed
  /// without a word.
  Duration first_byte = std::chrono::seconds(30);
  /// From a head's first byte to its end, however the bytes trickle; then 408.
  Duration head = std::chrono::seconds(10);
  /// While a body arrives, each span of this length must bring `bytes_per_second_min`; else 408.
  Duration body = std::chrono::seconds(30);
  /// While the client is slow to read, each span of this length must take as much; else the
  /// connection, or its stream of HTTP/2, is reset. It is only counted while something waits, and
  /// measured when spans end, so it may take two of them.
  Duration write = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 512;
  [[nodiscard]] std::size_t least_bytes(Duration span) const noexcept {
    return eider::least_bytes(span, bytes_per_second_min);
  }
  /// Between a response and the next request; then the connection is closed without a word.
  Duration idle = std::chrono::seconds(75);

  /// How long, and for how many bytes, a refused client is still read from (and ignored), so that
  /// it sees the answer instead of a reset (RFC 9112, section 9.6).
  Duration linger = std::chrono::seconds(5);
  std::size_t linger_bytes_max = 16UL * 1024 * 1024;

  /// A client that sends FIN while its request waits has either left or closed only its half. After
  /// this time it is sent an interim `100 Continue`, which tells the two apart: a client that has
  /// left answers with a reset, and the request is cancelled. HTTP/1.0 clients are never asked.
  Duration half_close_probe = std::chrono::milliseconds(300);

  /// Load shedding (docs/operations/load-shedding.md). When requests keep waiting longer than this
  /// for their event loop or for a blocking thread, late requests get 503 with Retry-After until
  /// the queue is short again; a burst that is worked off in time does not count. Zero: off. It is
  /// off by default because a server cannot tell an overload from many patient clients on a busy
  /// machine.
  Duration queue_time{0};
};

}  // namespace eider
