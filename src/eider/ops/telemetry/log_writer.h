// The log sink of open_log: a bounded queue and its writer thread.
// Layering: must not make the writer of a line wait for more than a copy.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "eider/core/base/buffer.h"
#include "eider/core/base/resource_probe.h"
#include "eider/ops/telemetry/log.h"
#include "eider/ops/telemetry/log_line.h"
#include "eider/ops/telemetry/log_output.h"

namespace eider::detail::telemetry {

class LogWriter final : public LogSink {
 public:
  LogWriter(const LogOptions& options, LogOutput output);
  /// Writes the waiting lines, for at most flush_within.
  ~LogWriter() override { LogWriter::end_thread(); }

  void write(LogLevel level, std::string_view line) noexcept override {
    write_fields(level, line, {});
  }
  void write_fields(LogLevel level, std::string_view message,
                    std::span<const LogField> fields) noexcept override;
  [[nodiscard]] bool is_enabled(LogLevel level) const noexcept override {
    return level >= level_.load(std::memory_order_relaxed);
  }
  void set_level(LogLevel level) noexcept override {
    level_.store(level, std::memory_order_relaxed);
  }
  [[nodiscard]] LogCounts counts() const noexcept override;
  void end_thread() noexcept override;

 private:
  [[nodiscard]] bool is_one_too_many(std::string_view message, std::int64_t second) noexcept;
  void append(Buffer& out, const LogLine& line) const;
  void put(LogLevel level, std::string_view line);
  void start_thread();
  void serve();
  void tell_dropped(const LogOutput::Patience& gives_up);
  [[nodiscard]] bool gives_up(Duration pause);

  const bool is_json_;
  const MaskedNames masked_;
  const std::uint32_t same_per_second_max_;
  const std::size_t queue_bytes_max_;
  const Duration flush_within_;
  std::atomic<LogLevel> level_;
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> suppressed_{0};
  /// By hash of the message: the current second, and the number of lines in it.
  std::array<std::atomic<std::uint64_t>, 256> same_{};

  std::mutex mutex_;
  std::condition_variable has_lines_;
  Buffer pending_;
  std::uint64_t pending_count_ = 0;
  bool is_sleeping_ = false;
  bool is_stopping_ = false;
  std::chrono::steady_clock::time_point stop_at_;
  LogOutput output_;        // used by the thread
  std::uint64_t told_ = 0;  // dropped lines that were already reported; used by the thread
  std::thread thread_;
  const ResourceProbe resource_probe_;
};

}  // namespace eider::detail::telemetry
