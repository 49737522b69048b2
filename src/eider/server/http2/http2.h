// HTTP/2 for an application: the same handlers, many requests at once on one connection.
// Must not know TLS: there ALPN has chosen it before the first byte comes here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eider {

class App;
class ConnectionProtocol;

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

/// Serves HTTP/2 on all of the app's ports, beside HTTP/1.1: to clients that begin with it, by
/// prior knowledge or ALPN in TLS. The upgrade in the clear ("h2c") is none of it any more: RFC
/// 9113 took it out.
///
///     App app;
///     enable_http2(app);
///
/// source  RFC 9113; RFC 9218
void enable_http2(App& app, Http2Options options = {});

}  // namespace eider
