// The kinds of load: when a request is sent, and on which connection.
// Layering: must not count; load.h does.
#pragma once

#include <memory>

#include "cli/bench/load.h"

namespace eider::bench {

/// Creates the load that the options of the job specify:
///
///   a closed loop    each connection sends the next request as soon as it has its response. It
///                    ends after the duration; outstanding requests are not counted, except for
///                    messages of WebSockets.
///   an open loop     (--rate) follows a clock. It waits up to `timeout` for outstanding requests,
///                    because excluding slow ones would make the server look better.
///   a broadcast      one WebSocket sends, and all must receive; the next message is sent after all
///                    have received the last one
///   event streams    (--events) a closed loop that counts events, including those of unfinished
///                    streams
///   new connections  one for each request; each client sends its share of all requests, one after
///                    the other, and latency includes connecting
///
/// Pre: on an event loop.
[[nodiscard]] std::unique_ptr<Load> make_load(const Job& job, const Share& share);

}  // namespace eider::bench
