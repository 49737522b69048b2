// The stack trace of a crashed program, with names and lines.
// Layering: must not delay a crash for long.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace eider::dev {

/// Returns the trace that the crash handler has written in `output`, one frame per line: "main.cc:7
/// f()". Frames of the handler itself and of other files are omitted.
///
/// program  with its debug information
/// returns  empty: there is no trace, or addr2line is not installed
[[nodiscard]] std::string read_stack(std::string_view output, const std::filesystem::path& program);

/// Returns `output` without the text of the handler.
[[nodiscard]] std::string without_stack(std::string_view output);

}  // namespace eider::dev
