// Runs a program that serves on a given socket while a load is measured.
// Layering: must not know the load.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/process/child_process.h"
#include "cli/project/project.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider {

/// words        the program and its arguments
/// directory    working directory
/// environment  in addition to that of this program, and to the variables with the address to
///              listen on
struct ServedCall {
  std::vector<std::string> words;
  std::string directory;
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// Runs a program. Its output is read continuously, so that it never blocks, and is reported if it
/// fails.
class ServedProgram {
 public:
  /// Waits until the program reports readiness (sd_notify). It listens only on 127.0.0.1, on a free
  /// port.
  ///
  /// errors   it cannot be started, ends, or is not ready in time: with its last output
  [[nodiscard]] StepEnd start(ServedCall call);
  /// Stops the program with SIGTERM. Fails if it does not end in time, or with another status than
  /// 0.
  [[nodiscard]] StepEnd stop();
  ServedProgram() = default;
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;
  /// Kills the program if it still runs.
  ~ServedProgram() = default;

  /// "http://127.0.0.1:40001/"
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  /// Returns the CPU time that it has used so far. Pre: it runs.
  [[nodiscard]] std::chrono::nanoseconds processor_time() const noexcept;

 private:
  StepEnd wait_until_ready(const Descriptor& notices);
  StepEnd ended(const Ending& how, std::string_view when);
  void read_all(const std::stop_token& stop);
  [[nodiscard]] std::string last_said();

  std::string name_;
  std::string url_;
  ChildProcess child_;
  std::string said_;     // used by the reader until it has ended
  std::jthread reader_;  // ends before the members that it uses
};

}  // namespace eider
