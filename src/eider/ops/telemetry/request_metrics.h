// Built-in metrics of requests, event loops and the process.
// Layering: must not export by itself.
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
