// Structured log lines, written by a separate thread as text or JSON.
// Layering: must not block the writer of a line; if the output is too slow, lines are dropped and
// counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/io/runtime/time.h"

namespace eider {

enum class LogFormat : std::uint8_t {
  /// The format in the environment variable EIDER_LOG_FORMAT, "text" or "json"; without it, text on
  /// a terminal, otherwise JSON.
  automatic,
  /// 2026-11-23T01:44:14.120Z info paid order=7 cents=1200 request_id=1f08ea8b9b95fb8b
  text,
  /// {"time":"2026-11-23T01:44:14.120Z","level":"info","message":"paid","order":7,"cents":1200}
  json,
};

/// Returns "password", "passphrase", "secret", "token", "authorization", "cookie", "credential",
/// "apikey" and "privatekey".
[[nodiscard]] std::vector<std::string> redacted_log_fields();

struct LogOptions {
  /// File to which lines are appended; empty: standard error. If the file is moved, for example by
  /// logrotate, a new one is opened within a second.
  std::string file = {};
  LogFormat format = LogFormat::automatic;
  /// Lines below this level are dropped; see Log::set_level.
  LogLevel level = LogLevel::info;
  /// A field whose name contains one of these, without regard to case, '-' and '_', is "***".
  std::vector<std::string> redacted = redacted_log_fields();
  /// Maximum number of lines with the same message per second; further lines are counted and
  /// dropped, except errors. 0: no limit.
  std::uint32_t repeats_per_second_max = 0;
  /// A file that would grow beyond is moved to `file`.1, that to `file`.2 and so on; 0: never.
  std::uint64_t file_bytes_max = 0;
  /// Number of rotated files.
  unsigned files_max = 5;
  /// Maximum size of lines that wait for the file or pipe; further lines are dropped. Errors may
  /// use another quarter.
  std::size_t queue_bytes_max = std::size_t{4} * 1024 * 1024;
  /// Maximum time to write the last lines at the end of the program.
  Duration flush_within = std::chrono::seconds(5);
};

/// Opens a log with its own thread, which starts with the first line, and ends with the last copy
/// of the result, after all lines are written.
///
///     const Log log = open_log();
///     app.log_to(log);
///     log.info("paid", {{"order", order.id}, {"cents", 1200}});
///
/// Lines that are written during a request have its request_id, trace_id and span_id, if present.
///
/// errors  throws a Failure if the file cannot be opened, or EIDER_LOG_FORMAT is invalid
[[nodiscard]] Log open_log(LogOptions options = {});

}  // namespace eider
