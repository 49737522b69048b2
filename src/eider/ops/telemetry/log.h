// Lines with fields, written by a thread of their own: text for people, JSON for machines.
// Must not hold up who writes one: where what takes them is too slow they are dropped and counted.
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
  /// What EIDER_LOG_FORMAT of the environment says, "text" or "json"; without it, text on a
  /// terminal, else JSON.
  automatic,
  /// 2026-11-23T01:44:14.120Z info paid order=7 cents=1200 request_id=1f08ea8b9b95fb8b
  text,
  /// {"time":"2026-11-23T01:44:14.120Z","level":"info","message":"paid","order":7,"cents":1200}
  json,
};

/// "password", "passphrase", "secret", "token", "authorization", "cookie", "credential", "apikey",
/// "privatekey"
[[nodiscard]] std::vector<std::string> masked_log_fields();

struct LogOptions {
  /// Lines are added to it; empty: standard error. One that has been moved away, as logrotate does,
  /// is opened anew within a second.
  std::string file = {};
  LogFormat format = LogFormat::automatic;
  /// What is below goes nowhere; see Log::set_level.
  LogLevel level = LogLevel::info;
  /// A field whose name has one of these in it, whatever its case, '-' and '_', is "***".
  std::vector<std::string> masked = masked_log_fields();
  /// Lines of one message in a second; what comes on top is counted and left out, but for errors.
  /// 0: all are written.
  std::uint32_t same_per_second_max = 0;
  /// A file that would grow beyond is moved to `file`.1, that to `file`.2 and so on; 0: never.
  std::uint64_t file_bytes_max = 0;
  /// How many of these are kept.
  unsigned files_max = 5;
  /// Lines that wait for the file or pipe; what comes on top is dropped. Errors have another
  /// quarter.
  std::size_t queue_bytes_max = std::size_t{4} * 1024 * 1024;
  /// How long the end waits for the last lines to be taken.
  Duration flush_within = std::chrono::seconds(5);
};

/// A log of its own thread, which begins with the first line and ends, when all that came before
/// has been written, with the last copy of what is returned.
///
///     const Log log = open_log();
///     app.log_to(log);
///     log.info("paid", {{"order", order.id}, {"cents", 1200}});
///
/// Each line that is written on behalf of a request has its request_id, and its trace_id and
/// span_id, where there are such.
///
/// errors  throws a Failure where the file cannot be opened, or EIDER_LOG_FORMAT has another word
[[nodiscard]] Log open_log(LogOptions options = {});

}  // namespace eider
