// WebSocket messages in a closed loop: each connection sends its next one when the last is back.
// Must not be quoted for latency under load: a slow server is asked less.
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// Each message is told from all others and must come back byte for byte. Runs for `duration` and
/// then waits up to `timeout` for what is on its way; what is not back by then is a timeout.
///
/// returns  requests: messages that came back; latency: of each
[[nodiscard]] Outcome run_websocket(const Options& options, const eider::Address& to);

}  // namespace load
