// A closed loop: each connection sends its next requests once all answers have come.
// Must not be quoted for latency under load: a slow server is asked less (see rate.h).
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

/// Runs for `duration`; answers that come later are not counted. Each answer's latency is counted
/// from the write that sent its request, together with the others of the same write.
[[nodiscard]] Outcome run_closed(const Options& options, const eider::Address& to);

}  // namespace load
