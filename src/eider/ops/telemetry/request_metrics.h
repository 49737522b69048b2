// What is counted of requests, loops and the process, for those who tell it.
// Must not tell anybody by itself.
#pragma once

#include <memory>

#include "eider/app/app.h"
#include "eider/ops/telemetry/metrics.h"

namespace eider::detail::telemetry {

/// Counts the app's requests, from now on, into what is returned.
///
/// errors  throws a Failure for buckets that do not rise
[[nodiscard]] std::shared_ptr<Metrics> count_requests(App& app, MetricsOptions options);

}  // namespace eider::detail::telemetry
