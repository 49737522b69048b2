// Parses the output of compilers, linkers and CMake, the first cause first, and stack traces of
// crashed programs.
// Layering: must not show the errors; fault_page.h and the terminal do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eider::dev {

struct Diagnostic {
  /// As in the output; empty if the linker knows no file.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string text;
  /// The following lines with the source and marks.
  std::string source = {};
  /// The place in the project that leads to the error, if `file` is a third-party header:
  /// "main.cc:7".
  std::string from = {};
  /// The usual cause; empty: unknown.
  std::string hint = {};
  /// Why Eider rejects it at compile time, which `text` then contains; empty: an error of the
  /// compiler itself.
  std::string refusal = {};

  /// Returns "main.cc:7:3", "main.cc:7" or "".
  [[nodiscard]] std::string place() const;
};

/// Returns the errors in order, without duplicates. Errors of templates come first, because sources
/// are generated from templates and compilers run in parallel. Warnings are omitted.
///
/// project  the source directory, without a trailing slash
[[nodiscard]] std::vector<Diagnostic> read_diagnostics(std::string_view output,
                                                       std::string_view project);

/// Returns the usual cause of an error with that text; empty: unknown.
[[nodiscard]] std::string_view usual_cause(std::string_view text);

/// Returns the trace that the crash handler has written in `output`, one frame per line: "main.cc:7
/// f()". Frames of the handler itself and of other files are omitted.
///
/// program  with its debug information
/// returns  empty: there is no trace, or addr2line is not installed
[[nodiscard]] std::string read_stack(std::string_view output, const std::filesystem::path& program);

/// Returns `output` without the text of the handler.
[[nodiscard]] std::string without_stack(std::string_view output);

}  // namespace eider::dev
