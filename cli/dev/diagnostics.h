// Parses the output of compilers, linkers and CMake: the first cause first.
// Layering: must not show the errors; fault_page.h and the terminal do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eider::dev {

struct Diagnostic {
  /// As it was said; empty where the linker knows none.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string text;
  /// The lines of source and marks that followed.
  std::string source = {};
  /// Where in the project the fault comes from, when `file` is a header of others: "main.cc:7".
  std::string from = {};
  /// What it usually is; empty: nothing usual.
  std::string hint = {};
  /// Why Eider refuses it while compiling, which `text` says then; empty: a compiler's own error.
  std::string refusal = {};

  /// "main.cc:7:3", "main.cc:7" or "".
  [[nodiscard]] std::string place() const;
};

/// The errors in their order, each once; those of templates ahead, since sources are made of them
/// and compilers run side by side. Warnings are left out.
///
/// project  the directory of the sources, without a slash at its end
[[nodiscard]] std::vector<Diagnostic> read_diagnostics(std::string_view output,
                                                       std::string_view project);

/// What an error of that text usually is; empty: nothing usual.
[[nodiscard]] std::string_view usual_cause(std::string_view text);

}  // namespace eider::dev
