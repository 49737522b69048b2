// The kinds of load: when a request is sent, and on which connection.
// Layering: must not count; load.h does.
#pragma once

#include <memory>

#include "cli/bench/load.h"

namespace eider::bench {

/// The load that the job's options ask for:
///
///   a closed loop    each connection asks again as soon as it has its response. It ends with the
///                    duration, and what is outstanding then is not counted, but for the messages
///                    of WebSockets.
///   an open loop     (--rate) by a clock. It waits for what is outstanding, `timeout` at most,
///                    since leaving out the slow ones would flatter the server.
///   a broadcast      one WebSocket sends what all of them have to get; the next message leaves
///                    when all have the last one
///   event streams    (--events) a closed loop that counts events, those of unfinished streams too
///   new connections  one for each request; each of them is a client that asks its part of all
///                    requests, one after the other, and latency counts from before connecting
///
/// Pre: on a loop.
[[nodiscard]] std::unique_ptr<Load> make_load(const Job& job, const Share& share);

}  // namespace eider::bench
