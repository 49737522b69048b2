// The last log lines of this process, for the dashboard and diagnostics.
// Layering: must not cost a program that shows them nowhere more than one look at a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::base {

/// The number of kept warnings and errors, and also of all other lines. Two limits, so that
/// frequent lines for requests do not push out errors.
inline constexpr std::size_t kLogTailLinesMax = 200;
/// Longer lines are cut.
inline constexpr std::size_t kLogTailLineBytesMax = 1024;

/// line  without its line break
using LeavesOut = bool (*)(std::string_view line);

/// Starts to keep lines, except those for which `leaves_out` returns true.
void keep_log_tail(LeavesOut leaves_out) noexcept;

/// Adds whole lines as a log writes them, as JSON or text, with their line breaks. Secrets must
/// already be masked. Thread-safe.
void note_log_lines(std::string_view lines) noexcept;

/// lines_so_far  the number of lines that were kept since the start
/// lines         those that are still available, the oldest first
struct LogTail {
  std::uint64_t lines_so_far = 0;
  std::vector<std::string> lines;
};

/// Returns the lines after the first `after` lines, or all lines if there were fewer than that.
[[nodiscard]] LogTail log_tail(std::uint64_t after);

}  // namespace eider::detail::base
