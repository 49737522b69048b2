// Clients that open a new connection for each of their requests, as experiment 2 of the arena asks.
// Must not keep a connection, nor send a request before the last one is answered.
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// Runs all clients to their end, to `errors_max`, or to the limit of the run.
[[nodiscard]] Outcome run_sequential(const Options& options, const eider::Address& to);

}  // namespace load
