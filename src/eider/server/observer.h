// The record of one request, reported when its response was sent or its client disconnected.
// Layering: must not be kept: all that it refers to is valid for the call alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/server/state.h"

namespace eider {

/// The time at which the headers of a streamed response were sent (an event stream, Streamed, a
/// ResponseStream), or of a response that became another protocol, such as a WebSocket. Only such
/// requests have it: other responses end when they are written.
///
/// at  when the headers were passed to the connection
struct ResponseStarted {
  Instant at;
};

struct ResponseEvent {
  /// If the request could not be read, only the peer is known.
  const Request& request;
  /// 0: the client disconnected before there was a response.
  int status = 0;
  /// The size of the body without headers and framing, as received.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  /// False: the client disconnected before the whole response was sent; `bytes_out` is then about
  /// the part that was sent.
  bool is_complete = true;
  /// Time at which the turn of the event loop began in which the request headers were complete. The
  /// end is the time at which the kernel got the last byte of the response, or gets it at the end
  /// of that turn.
  Instant began;
  Instant ended;
  /// "HTTP/1.0", "HTTP/1.1" or "HTTP/2".
  std::string_view protocol;
};

/// Called on the event loop's thread, by every event loop.
using Observer = std::function<void(const ResponseEvent&)>;

/// An Observer that is also called for slow requests while they run (App::observe).
struct SlowObserver {
  void operator()(const ResponseEvent& record) const { on_end(record); }

  Observer on_end;
  /// After this time `on_slow` is called once, with the wait of the request, if its handler has not
  /// responded. Checked once a second, or twice within a shorter time, for at most ten requests per
  /// event loop.
  Duration after;
  std::function<void(const RequestState&)> on_slow;
};

}  // namespace eider
