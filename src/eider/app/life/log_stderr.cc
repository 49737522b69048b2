#include "eider/app/life/log_stderr.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <string>

#include "eider/app/settings/printable.h"
#include "eider/core/base/log_tail.h"

namespace eider {

namespace {

class StderrLog final : public LogSink {
 public:
  [[nodiscard]] bool is_enabled(LogLevel level) const noexcept override {
    return level >= least_.load(std::memory_order_relaxed);
  }
  void set_level(LogLevel level) noexcept override { least_ = level; }
  void write(LogLevel level, std::string_view line) noexcept override {
    if (!is_enabled(level)) {
      return;
    }
    try {
      std::array<char, 32> time{};
      const std::time_t now = std::time(nullptr);
      std::tm parts{};
      gmtime_r(&now, &parts);
      std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%SZ ", &parts);
      std::string text(time.data());
      text.append(to_text(level)).append(" ").append(detail::app::printable(line)).append("\n");
      detail::base::note_log_lines(text);
      [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    } catch (...) {
      // No memory for a log line: the request continues without it.
    }
  }

 private:
  std::atomic<LogLevel> least_ = LogLevel::debug;
};

}  // namespace

std::shared_ptr<LogSink> stderr_log() {
  return std::make_shared<StderrLog>();
}

}  // namespace eider
