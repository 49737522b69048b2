// The limits of one HTTP/2 connection.
// Layering: must not repeat the server's limits, which apply too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eider {

/// What one HTTP/2 connection may cost, beside the server's Limits, which hold too.
struct Http2Options {
  /// Requests that a client may have under way at once; further ones are refused unseen.
  std::uint32_t streams_max = 100;
  /// Content of one request that is taken before its handler asks for it; at least 65535.
  std::uint32_t stream_window_bytes = 65535;
  /// The same of all requests together; at least 65535.
  std::uint32_t connection_window_bytes = 1024 * 1024;
  /// Content that is gathered for handlers at the same time; beyond it one request after the other
  /// is let go on.
  std::size_t gathered_bytes_max = std::size_t{8} * 1024 * 1024;
  /// Answers in memory that wait for the client to take them; beyond it no further one is made.
  std::size_t held_bytes_max = std::size_t{4} * 1024 * 1024;
};

}  // namespace eider
