// How a program ends, for its main() to return.
// Must not print: what there is to say is said where main() returns it.
#pragma once

#include <string>
#include <utility>

namespace eider {

/// How a program ends: the exit code, and what the one who started it is to read.
///
///     int main(int argc, char** argv) {
///       …
///       return app.run(argc, argv);
///     }
class [[nodiscard]] Exit {
 public:
  explicit Exit(int code, std::string text = {}) noexcept : code_(code), text_(std::move(text)) {}

  [[nodiscard]] int code() const noexcept { return code_; }
  /// The answer to --help, or what is wrong with an option; empty where the log has said it all.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// For main(): says the text, on standard output where the code is 0 and else on standard error,
  /// and is the code; 1 where standard output does not take it (a full disk). A program that asks
  /// for `code` and `text` instead says nothing by itself.
  operator int() const;  // NOLINT(google-explicit-constructor): main() returns it

 private:
  int code_;
  std::string text_;
};

/// For main() of a program that may not come to serve: what `program` returns, or where it throws,
/// what was thrown in one line. The code is 2 where the program was told something wrong (a Failure
/// of 4xx, as proxy_to throws of an upstream), and else 1 (a directory that is not there).
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
