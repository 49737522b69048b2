// The default log of an application: lines on standard error.
// Layering: must not be used by lower layers of the library, which get a LogSink.
#pragma once

#include <memory>

#include "eider/core/base/log.h"

namespace eider {

/// Writes each line with the UTC time and its level in one call, so that the lines of threads do
/// not mix.
[[nodiscard]] std::shared_ptr<LogSink> stderr_log();

}  // namespace eider
