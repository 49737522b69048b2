// Runs other programs to their end: compilers, CMake, built programs.
// Layering: must not leave one running; a signal that ends this program ends them.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cli/process/child_process.h"
#include "eider/core/base/result.h"

namespace eider {

/// status      the exit code; 128 + the signal's number, as in shells
/// output      of a call that keeps it
/// is_stopped  this program got a signal to stop (Ctrl-C, SIGTERM, SIGHUP) and passed it on
struct ProgramEnd {
  int status = 0;
  std::string output{};
  bool is_stopped = false;

  [[nodiscard]] bool is_good() const noexcept { return status == 0 && !is_stopped; }
};

/// Runs a program to its end. Forwards stop signals to it and its children; those that have not
/// ended five seconds later, or at a second signal, are killed. Only for the main thread.
///
/// errors   "cannot start cmake: No such file or directory"
[[nodiscard]] Result<ProgramEnd, std::string> run_program(const ProgramCall& call);

/// Runs a program until its end or a timeout. Signals are not forwarded. For any thread.
///
/// returns  the last kOutputBytesMax of its output
/// errors   as for run_program; "addr2line takes too long"
[[nodiscard]] Result<ProgramEnd, std::string> run_to_end(const ProgramCall& call,
                                                         std::chrono::milliseconds within);

/// The error of `run_quietly` after a stop signal.
inline constexpr std::string_view kWasStopped = "stopped";

/// Runs a program in the locale C whose output is needed only if it fails.
///
/// returns  its output
/// errors   it cannot be started, was stopped, or returned another status than 0: then its output
[[nodiscard]] Result<std::string, std::string> run_quietly(std::vector<std::string> words);

/// Waits for that time.
///
/// returns  whether this program received a stop signal meanwhile
[[nodiscard]] bool is_stopped_within(std::chrono::milliseconds time);

}  // namespace eider
