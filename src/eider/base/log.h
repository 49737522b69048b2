// The calling side of logging: what has something to say is handed a sink.
// Must not format, filter or know where lines go.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// Takes whole lines, from any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  /// line  without its line break; not kept after return
  virtual void write(LogLevel level, std::string_view line) noexcept = 0;
};

}  // namespace eider
