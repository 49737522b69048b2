// A child process in its own process group, with access to its output.
// Layering: must not outlive this program or leave a process of its group.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider {

/// words        the program, found in PATH, and its arguments; no shell parses them
/// directory    working directory
/// input        file for standard input; empty: none
/// environment  in addition to the variables of this program; replaces those of the same name
/// output       shown: the streams of this program; as_errors: its standard error for both; kept:
///              read_output() returns standard output; kept_with_errors: and standard error;
///              kept_without_errors: standard error is discarded
/// listens_on   a listening socket, passed as by systemd (sd_listen_fds(3)); -1: none
struct ProgramCall {
  enum class Output : std::uint8_t {
    shown,
    as_errors,
    kept,
    kept_with_errors,
    kept_without_errors
  };

  std::vector<std::string> words = {};
  std::string directory = ".";
  std::string input = {};
  std::vector<std::pair<std::string, std::string>> environment = {};
  Output output = Output::shown;
  int listens_on = -1;
};

/// How a process ended.
struct Ending {
  /// The exit code; 128 + the signal's number, as in shells.
  int code = 0;
  /// 0: it exited by itself.
  int signal = 0;

  [[nodiscard]] bool is_good() const noexcept { return code == 0; }
};

/// Maximum size of the result of one read_output(), so that a program with endless output cannot
/// block its reader.
inline constexpr std::size_t kReadBytesMax = 256UL * 1024;
/// Size of the end of a long output that is kept.
inline constexpr std::size_t kOutputBytesMax = 1024UL * 1024;

void keep_end(std::string& text, std::size_t bytes_max);

class ChildProcess {
 public:
  /// errors  "cannot start cmake: No such file or directory"
  [[nodiscard]] static Result<ChildProcess, std::string> start(const ProgramCall& call);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Ends the group with SIGTERM, and after a second with SIGKILL.
  ~ChildProcess();

  [[nodiscard]] bool is_running() const noexcept { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Becomes readable when the process has ended.
  [[nodiscard]] int exit_fd() const noexcept { return exit_.get(); }
  /// Becomes readable when there is output, or its streams are closed; -1: the end was read, or the
  /// output is not kept.
  [[nodiscard]] int output_fd() const noexcept { return output_.get(); }

  /// Returns the output since the last call, without waiting; at most kReadBytesMax, which is more
  /// than a pipe holds.
  [[nodiscard]] std::string read_output();
  /// Returns how the process ended, once; nothing while it runs.
  [[nodiscard]] std::optional<Ending> reap();
  /// Sends a signal to the whole group.
  void signal(int number) const noexcept;

 private:
  void end_group() noexcept;
  void wait_for_end() noexcept;

  pid_t pid_ = 0;
  Descriptor exit_;
  Descriptor output_;
};

}  // namespace eider
