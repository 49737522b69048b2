// The limits of one HTTP/2 connection.
// Layering: must not repeat the server's limits, which apply too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eider {

/// Limits of one HTTP/2 connection. The server's Limits also apply.
struct Http2Options {
  /// The maximum number of concurrent requests of a client; more are refused without reading them.
  std::uint32_t streams_max = 100;
  /// Bytes of one request body that are accepted before its handler reads them; at least 65535.
  std::uint32_t stream_window_bytes = 65535;
  /// The same for all requests of the connection together; at least 65535.
  std::uint32_t connection_window_bytes = 1024 * 1024;
  /// Bytes of all bodies that are collected for handlers at the same time. Beyond it, the bodies
  /// are received one after the other.
  std::size_t gathered_bytes_max = std::size_t{8} * 1024 * 1024;
  /// Bytes of responses in memory that wait for the client. Beyond it, no further one is made.
  std::size_t held_bytes_max = std::size_t{4} * 1024 * 1024;
};

}  // namespace eider
