// An open loop: requests at a fixed rate, by a clock that does not wait for answers.
// Must not slow down with the server: what is due is sent, or waits and is counted from then on.
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// Sends for `duration`, then waits for what is outstanding, `timeout` at most.
///
/// Every request has an instant at which it is due, fixed before the run by the schedule. It is
/// sent then if a connection is free, else as soon as one is, first come first served.
///
///   latency      from that due instant to the whole answer. A request that had to wait behind a
///                stalled one counts its waiting, as its user would: this is what correcting
///                "coordinated omission" means, done by measuring instead of by estimating.
///                Failed and unsent requests count with the time until they were given up.
///   uncorrected  from the actual sending, of the good ones: what a closed loop would claim
///   lateness     from the due instant to when the generator handled it: large values say that the
///                generator, not the server, was the bottleneck
[[nodiscard]] Outcome run_rate(const Options& options, const eider::Address& to);

}  // namespace load
