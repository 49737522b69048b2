// The stack trace of a crashed program, with names and lines.
// Layering: must not delay a crash for long.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace eider::dev {

/// What the crash handler has written within `output`, one frame a line: "main.cc:7 f()". Frames of
/// the handler itself and of what is no part of the program are left out.
///
/// program  with its debug information
/// returns  empty: it has told none, or no addr2line is installed
[[nodiscard]] std::string read_stack(std::string_view output, const std::filesystem::path& program);

/// `output` without what the handler has written.
[[nodiscard]] std::string without_stack(std::string_view output);

}  // namespace eider::dev
