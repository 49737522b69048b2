// Other programs, started and waited for: compilers, CMake, what they have built.
// Must not leave one behind: what ends this program ends them, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// words        the program, looked for in PATH, and its arguments; no shell reads them
/// directory    where it runs
/// input        the file that it reads; empty: it reads nothing
/// environment  beside what this program has
/// output       where it goes: kept_with_errors keeps standard error, too; as_errors is for work on
///              the way to what standard output is for
struct ProgramCall {
  enum class Output : std::uint8_t { shown, as_errors, kept, kept_with_errors };

  std::vector<std::string> words;
  std::string directory = ".";
  std::string input{};
  std::vector<std::pair<std::string, std::string>> environment{};
  Output output = Output::shown;
};

/// status      the exit code; 128 and the signal, as shells say it
/// output      of a call that is kept
/// is_stopped  this program was told to stop (Ctrl-C, SIGTERM), and so it ended that one
struct ProgramEnd {
  int status = 0;
  std::string output{};
  bool is_stopped = false;

  [[nodiscard]] bool is_good() const noexcept { return status == 0 && !is_stopped; }
};

/// Runs it to its end. A signal to stop goes on to it and all that it has
/// started; what is still there five seconds later, or at a second one, is killed.
///
/// errors   it cannot be started: "cannot run cmake: No such file or directory"
[[nodiscard]] Result<ProgramEnd, std::string> run_program(const ProgramCall& call);

/// The error of `run_quietly` where this program was told to stop.
inline constexpr std::string_view kWasStopped = "stopped";

/// Runs what is to be seen only where it fails, with texts as in the locale C.
///
/// returns  what it has said
/// errors   it cannot be started, was stopped, or has not ended with 0: then what it has said
[[nodiscard]] Result<std::string, std::string> run_quietly(std::vector<std::string> words);

/// Waits so long.
///
/// returns  whether this program was told to stop meanwhile
[[nodiscard]] bool is_stopped_within(std::chrono::milliseconds time);

/// Where PATH has it; empty: nowhere.
[[nodiscard]] std::string find_program(std::string_view name);

}  // namespace eider
