#include "cli/bench/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace eider::bench {

namespace {

// Carriage return, and "erase to the end of the line" (ECMA-48, EL).
constexpr std::string_view kErase = "\r\x1b[K";

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void write_line(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressLine::ProgressLine(const Options& options)
    : is_shown_(options.progress == Progress::automatic && ::isatty(STDERR_FILENO) == 1),
      began_(std::chrono::steady_clock::now()),
      lasts_(options.warmup + options.duration),
      shown_at_(began_) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) {
    write_line(std::string(kErase));
  }
}

void ProgressLine::show(std::uint64_t answered, std::uint64_t failed) {
  const Instant now = std::chrono::steady_clock::now();
  if (!is_shown_ || now - shown_at_ < std::chrono::milliseconds(200)) {
    return;
  }
  const double rate = static_cast<double>(answered - shown_answered_) / seconds(now - shown_at_);
  shown_at_ = now;
  shown_answered_ = answered;
  write_line(std::string(kErase) +
             progress_text(std::min(now - began_, lasts_), lasts_, answered, rate, failed));
}

std::string progress_text(Duration passed, Duration lasts, std::uint64_t answered,
                          double per_second, std::uint64_t failed) {
  return fmt::format("{:.1f} s of {:.1f} s   {} answered   {:.0f}/s   {} failed", seconds(passed),
                     seconds(lasts), answered, per_second, failed);
}

}  // namespace eider::bench
