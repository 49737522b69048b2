// A whole run: its threads, the progress line, and Ctrl-C.
// Layering: must not judge the results.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/options.h"
#include "cli/bench/outcome.h"
#include "cli/bench/requests.h"
#include "cli/bench/target.h"
#include "eider/core/base/result.h"

namespace eider::bench {

/// Runs until the end, or until SIGINT or SIGTERM; both are blocked in this thread meanwhile, and a
/// second one terminates the process.
///
/// errors   one sentence: no connection could be opened
[[nodiscard]] Result<Outcome, std::string> run(const Options& options, const Target& target,
                                               const std::vector<Request>& requests);

}  // namespace eider::bench
