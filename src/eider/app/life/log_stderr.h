// The log of an app that was given none: lines on standard error.
// Must not be written to by the library's lower layers, which are handed a LogSink.
#pragma once

#include <memory>

#include "eider/core/base/log.h"

namespace eider {

/// Each line with the UTC time and its level, written in one call so that threads do not mix.
[[nodiscard]] std::shared_ptr<LogSink> stderr_log();

}  // namespace eider
