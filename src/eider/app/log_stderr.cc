#include "eider/app/log_stderr.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <string>

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

/// Control bytes of a line come from outside: they must not write lines or colours of their own.
void append_printable(std::string& out, std::string_view line) {
  for (const char byte : line) {
    const bool is_control = static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
    out.push_back(is_control ? '?' : byte);
  }
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
      text.append(to_text(level)).append(" ");
      append_printable(text, line);
      text.push_back('\n');
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
