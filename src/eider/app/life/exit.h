// The exit status of a program and its last message, which main() returns.
// Layering: must not print; main() prints the message.
#pragma once

#include <string>
#include <utility>

namespace eider {

/// The exit status of a program, with a message for its user.
///
///     int main(int argc, char** argv) {
///       …
///       return app.run(argc, argv);
///     }
class [[nodiscard]] Exit {
 public:
  explicit Exit(int code, std::string text = {}) noexcept : code_(code), text_(std::move(text)) {}

  [[nodiscard]] int code() const noexcept { return code_; }
  /// Returns the text for --help, or the error of an option; empty if the log contains everything.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// For main(): prints the text, to standard output if the code is 0 and else to standard error,
  /// and returns the code; 1 if standard output cannot be written (a full disk). Programs that call
  /// `code` and `text` instead print the text themselves.
  operator int() const;  // NOLINT(google-explicit-constructor): main() returns it

 private:
  int code_;
  std::string text_;
};

/// Runs a program for main(): returns the result of `program`. An exception is reported in one
/// line. The code is then 2 for invalid usage (a Failure with a 4xx, for example of proxy_to for an
/// invalid upstream), and else 1 (for example a missing directory).
///
///     Exit serve(int argc, char** argv) {
///       …
///       serve_files(app, "/", own.root);
///       return app.serve(*options);
///     }
///
///     int main(int argc, char** argv) { return run_main(serve, argc, argv); }
Exit run_main(Exit (*program)(int, char**), int argc, char** argv);

}  // namespace eider
