// Formats one log line as text and as JSON.
// Layering: must escape all values, so that a value cannot end the line.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/log.h"
#include "eider/core/base/work.h"

namespace eider::detail::telemetry {

struct LogLine {
  LogLevel level;
  std::string_view message;
  std::span<const LogField> fields;
  std::int64_t time_ms;  // since 1970
  const Work* work;      // null: not for a request or job
};

/// Names of log fields whose values are masked.
class MaskedNames {
 public:
  explicit MaskedNames(const std::vector<std::string>& words);
  [[nodiscard]] bool hides(std::string_view name) const noexcept;

 private:
  // By their first byte, because each field name of each line is compared with them.
  std::array<std::vector<std::string>, 256> words_;
};

/// Both append a line break.
void append_text(Buffer& out, const LogLine& line, const MaskedNames& masked);
void append_json(Buffer& out, const LogLine& line, const MaskedNames& masked);

}  // namespace eider::detail::telemetry
