#include "eider/ops/telemetry/log.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/log_tail.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/resource_probe.h"
#include "eider/io/runtime/signals_blocked.h"
#include "eider/ops/telemetry/log_line.h"
#include "eider/ops/telemetry/log_output.h"

namespace eider {

namespace detail::telemetry {

namespace {

/// The log sink of open_log: a bounded queue and its writer thread. The writer of a line waits for
/// no more than a copy.
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

std::int64_t unix_milliseconds() noexcept {
  return unix_nanoseconds() / 1'000'000;
}

bool is_json(LogFormat format, const LogOutput& output) {
  if (format != LogFormat::automatic) {
    return format == LogFormat::json;
  }
  const char* const given = std::getenv("EIDER_LOG_FORMAT");
  const std::string_view wanted = given == nullptr ? "" : given;
  if (!wanted.empty() && wanted != "text" && wanted != "json") {
    throw Failure(Error::internal("Invalid EIDER_LOG_FORMAT \"" + std::string(wanted) +
                                  "\". Use text or json."));
  }
  return wanted.empty() ? !output.is_terminal() : wanted == "json";
}

LogWriter::LogWriter(const LogOptions& options, LogOutput output)
    : is_json_(is_json(options.format, output)),
      masked_(options.redacted),
      same_per_second_max_(options.repeats_per_second_max),
      queue_bytes_max_(options.queue_bytes_max),
      flush_within_(options.flush_within),
      level_(options.level),
      output_(std::move(output)),
      resource_probe_([this, name = options.file] {
        const LogCounts now = counts();
        return ResourceState{
            .kind = "log",
            .name = name.empty() ? "stderr" : name,
            .numbers = {{"written", static_cast<std::int64_t>(now.written)},
                        {"dropped", static_cast<std::int64_t>(now.dropped)},
                        {"suppressed", static_cast<std::int64_t>(now.suppressed)}}};
      }) {}

void LogWriter::end_thread() noexcept {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable() && pending_.empty()) {
      return;
    }
    is_stopping_ = true;
    stop_at_ = std::chrono::steady_clock::now() + flush_within_;
    ending.swap(thread_);
  }
  if (!ending.joinable()) {
    serve();  // creating the thread has failed, and the waiting lines may explain why
    return;
  }
  has_lines_.notify_one();
  ending.join();
}

LogCounts LogWriter::counts() const noexcept {
  return {.written = written_.load(std::memory_order_relaxed),
          .dropped = dropped_.load(std::memory_order_relaxed),
          .suppressed = suppressed_.load(std::memory_order_relaxed)};
}

/// Messages with the same hash share a counter, so the limit should not be small.
bool LogWriter::is_one_too_many(std::string_view message, std::int64_t second) noexcept {
  constexpr unsigned kCountBits = 32;
  auto& same = same_[std::hash<std::string_view>()(message) % same_.size()];
  const auto now = static_cast<std::uint64_t>(second) << kCountBits;
  std::uint64_t seen = same.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    next = (seen >> kCountBits) == (now >> kCountBits) ? seen + 1 : now + 1;
  } while (!same.compare_exchange_weak(seen, next, std::memory_order_relaxed));
  return (next & 0xFFFF'FFFFU) > same_per_second_max_;
}

void LogWriter::append(Buffer& out, const LogLine& line) const {
  is_json_ ? append_json(out, line, masked_) : append_text(out, line, masked_);
}

void LogWriter::write_fields(LogLevel level, std::string_view message,
                             std::span<const LogField> fields) noexcept {
  if (!is_enabled(level)) {
    return;
  }
  try {
    const std::int64_t now = unix_milliseconds();
    if (same_per_second_max_ != 0 && level != LogLevel::error &&
        is_one_too_many(message, now / 1000)) {
      suppressed_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    thread_local Buffer line;
    line.reset();
    append(line, {level, message, fields, now, Work::current()});
    put(level, line.view());
  } catch (...) {
    dropped_.fetch_add(1, std::memory_order_relaxed);  // no memory
  }
}

// The line is formatted before the lock is taken, which only protects copying it.
void LogWriter::put(LogLevel level, std::string_view line) {
  const std::size_t room =
      level == LogLevel::error ? queue_bytes_max_ + (queue_bytes_max_ / 4) : queue_bytes_max_;
  bool wakes = false;
  {
    const std::lock_guard lock(mutex_);
    if (pending_.size() + line.size() > room) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    pending_.append(line);
    ++pending_count_;
    // A writer that is stopping still writes the lines that arrive before it has stopped.
    if (!thread_.joinable() &&
        !is_stopping_) {  // not before the first line: a process may fork before
      start_thread();
    }
    wakes = std::exchange(is_sleeping_, false);
  }
  if (wakes) {
    has_lines_.notify_one();
  }
}

/// If no thread can be created, the line waits for the next one, which tries again, or for the end.
void LogWriter::start_thread() {
  const SignalsBlocked blocked;
  try {
    thread_ = std::thread([this] { serve(); });
    pthread_setname_np(thread_.native_handle(), "eider-log");
  } catch (const std::system_error&) {  // too many threads, or no memory for a stack
  }
}

void LogWriter::serve() {
  constexpr std::size_t kKeptBytesMax = std::size_t{256} * 1024;
  Buffer lines;
  const LogOutput::Patience patience = [this](Duration pause) { return gives_up(pause); };
  while (true) {
    std::uint64_t count = 0;
    {
      std::unique_lock lock(mutex_);
      while (pending_.empty() && !is_stopping_) {
        is_sleeping_ = true;
        has_lines_.wait(lock);
      }
      is_sleeping_ = false;
      if (pending_.empty()) {
        is_stopping_ = false;
        return;
      }
      lines.swap(pending_);
      count = std::exchange(pending_count_, 0);
    }
    // First, because lines that a full disk delays must be visible in the dashboard.
    base::note_log_lines(lines.view());
    if (output_.write(lines.view(), patience)) {
      written_.fetch_add(count, std::memory_order_relaxed);
    } else {
      dropped_.fetch_add(count, std::memory_order_relaxed);
    }
    lines.reset(kKeptBytesMax);
    tell_dropped(patience);
  }
}

/// After lines were dropped, logs their number, so that readers know that the log is incomplete.
void LogWriter::tell_dropped(const LogOutput::Patience& patience) {
  const std::uint64_t dropped = dropped_.load(std::memory_order_relaxed);
  if (dropped == told_) {
    return;
  }
  const std::array<LogField, 1> fields = {LogField("count", dropped - told_)};
  Buffer line;
  append(line, {LogLevel::warning, "log lines were dropped", fields, unix_milliseconds(), nullptr});
  base::note_log_lines(line.view());
  if (output_.write(line.view(), patience)) {
    told_ = dropped;
  }
}

bool LogWriter::gives_up(Duration pause) {
  std::unique_lock lock(mutex_);
  if (pause != Duration::zero() && !is_stopping_) {
    has_lines_.wait_for(lock, pause, [this] { return is_stopping_; });
  } else if (pause != Duration::zero()) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    lock.lock();
  }
  return is_stopping_ && std::chrono::steady_clock::now() >= stop_at_;
}

}  // namespace
}  // namespace detail::telemetry

std::vector<std::string> redacted_log_fields() {
  return {"password", "passphrase", "secret",     "token", "authorization",
          "cookie",   "credential", "privatekey", "apikey"};
}

Log open_log(LogOptions options) {
  using detail::telemetry::LogOutput;
  if (options.file.empty()) {
    return Log(std::make_shared<detail::telemetry::LogWriter>(options, LogOutput(STDERR_FILENO)));
  }
  auto output = LogOutput::open(options.file, options.file_bytes_max, options.files_max);
  if (!output) {
    throw Failure(output.error());
  }
  // Also its directory, because a new file is created after a rotation.
  detail::base::will_write(options.file);
  return Log(std::make_shared<detail::telemetry::LogWriter>(options, std::move(*output)));
}

}  // namespace eider
