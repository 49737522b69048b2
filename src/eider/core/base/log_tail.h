// The last log lines of this process, for the dashboard and diagnostics.
// Layering: must not cost a program that shows them nowhere more than one look at a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::base {

/// So many are kept of warnings and errors, and so many of all others: what is told of each request
/// pushes no error out.
inline constexpr std::size_t kLogTailLinesMax = 200;
/// What is longer is cut.
inline constexpr std::size_t kLogTailLineBytesMax = 1024;

/// line  without its line break
using LeavesOut = bool (*)(std::string_view line);

/// From now on lines are kept, but for those of which `leaves_out` is true.
void keep_log_tail(LeavesOut leaves_out) noexcept;

/// From any thread, by logs: whole lines as they are written, JSON or text, with their line breaks
/// and nothing in them that is to be masked.
void note_log_lines(std::string_view lines) noexcept;

/// lines_so_far  that were to be kept since the start
/// lines         those of them that are kept still, the oldest first
struct LogTail {
  std::uint64_t lines_so_far = 0;
  std::vector<std::string> lines;
};

/// What came behind the first `after` lines; all, where there have not been so many.
[[nodiscard]] LogTail log_tail(std::uint64_t after);

}  // namespace eider::detail::base
