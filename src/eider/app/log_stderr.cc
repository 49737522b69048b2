#include "eider/app/log_stderr.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <string>

#include "eider/app/printable.h"

namespace eider {

namespace {

std::string_view to_text(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return {};
}

class StderrLog final : public LogSink {
 public:
  void write(LogLevel level, std::string_view line) noexcept override {
    try {
      std::array<char, 32> time{};
      const std::time_t now = std::time(nullptr);
      std::tm parts{};
      gmtime_r(&now, &parts);
      std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%SZ ", &parts);
      std::string text(time.data());
      text.append(to_text(level)).append(" ").append(detail::app::printable(line)).append("\n");
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    } catch (...) {
      // No memory for a line of log: the request goes on without it.
    }
  }
};

}  // namespace

std::shared_ptr<LogSink> stderr_log() {
  return std::make_shared<StderrLog>();
}

}  // namespace eider
