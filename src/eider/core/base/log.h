// The interface for log lines: LogSink and log levels.
// Layering: must not filter or know where lines go.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace eider {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// Returns "debug", "info", "warning" or "error".
[[nodiscard]] std::string_view to_text(LogLevel level) noexcept;

using LogValue = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

/// The name and value of a log field: `{"order", id}`. Views both.
struct LogField {
  template <class T>
    requires std::convertible_to<const T&, std::string_view> || std::is_arithmetic_v<T>
  LogField(std::string_view its_name, const T& its_value) noexcept
      : name(its_name), value(value_of(its_value)) {}

  std::string_view name;
  LogValue value;

 private:
  template <class T>
  static LogValue value_of(const T& value) noexcept {
    if constexpr (std::same_as<T, bool>) {
      return value;
    } else if constexpr (std::floating_point<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::unsigned_integral<T>) {
      return static_cast<std::uint64_t>(value);
    } else if constexpr (std::integral<T>) {
      return static_cast<std::int64_t>(value);
    } else {
      return std::string_view(value);
    }
  }
};

/// Returns "7", "2.5", "true", or the text unchanged.
[[nodiscard]] std::string to_text(const LogValue& value);

/// The numbers of lines of a sink that counts them.
struct LogCounts {
  std::uint64_t written = 0;
  std::uint64_t dropped = 0;     // because the destination was too slow
  std::uint64_t suppressed = 0;  // too many lines of the same message
};

/// A destination of log lines. Thread-safe.
class LogSink {
 public:
  LogSink() = default;
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;
  virtual ~LogSink() = default;
  /// Writes a line. line  without its line break; not kept after the return
  virtual void write(LogLevel level, std::string_view line) noexcept = 0;
  /// Writes a line with fields, which are not kept after the return. A sink without support for
  /// fields gets them after the message: `paid order=7 by="Ann Lee"`.
  virtual void write_fields(LogLevel level, std::string_view message,
                            std::span<const LogField> fields) noexcept;
  /// Returns whether lines of that level are written.
  [[nodiscard]] virtual bool is_enabled(LogLevel /*level*/) const noexcept { return true; }
  /// Discards lines below that level from now on, if the sink supports levels.
  virtual void set_level(LogLevel /*level*/) noexcept {}
  [[nodiscard]] virtual LogCounts counts() const noexcept { return {}; }
  /// Writes all pending lines, and ends the sink's own thread until the next line.
  virtual void end_thread() noexcept {}
};

/// Writes log lines; cheap to copy, thread-safe.
///
///     log.info("paid", {{"order", order.id}, {"cents", 1200}});
class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  explicit Log(std::shared_ptr<LogSink> sink) noexcept : sink_(std::move(sink)) {}

  void debug(std::string_view message, Fields fields = {}) const noexcept {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, Fields fields = {}) const noexcept {
    write(LogLevel::info, message, fields);
  }
  void warning(std::string_view message, Fields fields = {}) const noexcept {
    write(LogLevel::warning, message, fields);
  }
  void error(std::string_view message, Fields fields = {}) const noexcept {
    write(LogLevel::error, message, fields);
  }
  void write(LogLevel level, std::string_view message, Fields fields = {}) const noexcept {
    if (sink_->is_enabled(level)) {
      sink_->write_fields(level, message, std::span(fields.begin(), fields.size()));
    }
  }

  /// Discards lines below that level from now on, for all copies. Thread-safe.
  void set_level(LogLevel level) const noexcept { sink_->set_level(level); }
  [[nodiscard]] LogCounts counts() const noexcept { return sink_->counts(); }

  /// Returns the sink, for App::log_to, access_log and other functions that need one.
  [[nodiscard]] const std::shared_ptr<LogSink>& sink() const noexcept { return sink_; }
  // NOLINTNEXTLINE(google-explicit-constructor): functions that take a sink also take a Log
  operator std::shared_ptr<LogSink>() const noexcept { return sink_; }

 private:
  std::shared_ptr<LogSink> sink_;
};

}  // namespace eider
