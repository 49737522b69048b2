#include "eider/app/life/log_stderr.h"

#include <unistd.h>

#include <atomic>
#include <string>

#include "eider/app/settings/printable.h"
#include "eider/core/base/log_tail.h"
#include "eider/core/kinds/times.h"

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
      std::string text = now_text();
      text.append(" ")
          .append(to_text(level))
          .append(" ")
          .append(detail::app::printable(line))
          .append("\n");
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
