// Captures the log of an application, for tests.
// Layering: must not be used by several threads at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/log.h"

namespace eider {

/// Stores log lines, to compare them with expected ones:
///
///     const auto log = std::make_shared<LogLines>();
///     app.log_to(log);
class LogLines final : public LogSink {
 public:
  void write(LogLevel, std::string_view line) noexcept override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

}  // namespace eider
