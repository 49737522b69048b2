// A program that this one has started: in a group of its own, with what it says at hand.
// Must not outlive who started it, nor leave anything of its group behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

struct StartOptions {
  std::vector<std::string> words = {};
  /// Empty: where this process is.
  std::string directory = {};
  /// Beside this process's own; of two with one name this one counts.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// A listening socket that it is given as systemd does (sd_listen_fds(3)); -1: none.
  int listens_on = -1;
  /// It stays in this process's group: Ctrl-C reaches it, too.
  bool shares_group = false;
};

/// How a process has ended.
struct Ending {
  /// Of an exit; 128 + the signal's number, as shells have it.
  int code = 0;
  /// 0: it has exited by itself.
  int signal = 0;

  [[nodiscard]] bool is_good() const noexcept { return code == 0; }
};

/// More is read by the next call: one that says something without end is not heard without end.
inline constexpr std::size_t kReadBytesMax = 256UL * 1024;
/// Of what is kept of all that a program has said: the end.
inline constexpr std::size_t kOutputBytesMax = 1024UL * 1024;

void keep_end(std::string& text, std::size_t bytes_max);

class ChildProcess {
 public:
  /// errors  "cannot start cmake: No such file or directory"
  [[nodiscard]] static Result<ChildProcess, std::string> start(const StartOptions& options);

  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Ends the group by SIGTERM, and what has not ended a second later by SIGKILL.
  ~ChildProcess();

  [[nodiscard]] bool is_running() const noexcept { return pid_ > 0; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// Readable when it has ended.
  [[nodiscard]] int exit_fd() const noexcept { return exit_.get(); }
  /// Readable when it has said something, or has closed both streams; -1: that was read.
  [[nodiscard]] int output_fd() const noexcept { return output_.get(); }

  /// What it has said on both streams since the last call, as far as it is there; at most
  /// kReadBytesMax, which holds all that a pipe does.
  [[nodiscard]] std::string read_output();
  /// How it has ended, once; nothing while it runs.
  [[nodiscard]] std::optional<Ending> reap();
  /// To the whole group.
  void signal(int number) const noexcept;

 private:
  void end_group() noexcept;
  void wait_for_end() noexcept;

  pid_t pid_ = 0;
  bool leads_group_ = false;
  Descriptor exit_;
  Descriptor output_;
};

struct Ended {
  Ending how;
  /// The last kOutputBytesMax of it.
  std::string output;
};

/// Runs it to its end, or ends it when the time is up.
///
/// errors  it cannot be started, or the time was up
[[nodiscard]] Result<Ended, std::string> run_to_end(const StartOptions& options,
                                                    std::chrono::milliseconds within);

}  // namespace eider::dev
