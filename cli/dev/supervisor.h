// Builds and runs the program, and again whenever a file is saved.
// Layering: must not respond to requests; front.h does.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/dev/configure.h"
#include "cli/dev/dev_state.h"
#include "cli/dev/include_check.h"
#include "cli/dev/project.h"
#include "cli/dev/source_watch.h"
#include "cli/process/child_process.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

struct SupervisorOptions {
  Toolchain toolchain;
  Configuring tree;
  /// As in project(…).
  std::string name = {};
  /// Empty: the program with that name, or the only one of the project.
  std::string target = {};
  /// Arguments of the program.
  std::vector<std::string> words = {};
  /// The program's variables in addition to those that every program gets.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Listening socket of the program. It stays open here, so that connections wait in the kernel's
  /// queue while no program runs.
  Descriptor listener = {};
};

class Supervisor {
 public:
  /// errors  files cannot be watched, with the error of the kernel
  [[nodiscard]] static Result<Supervisor, std::string> make(SupervisorOptions options,
                                                            DevState& state);

  /// Runs until `stop`, and then ends all started processes.
  void run();
  /// Thread-safe. Pre: `run` is running, or will be called.
  void stop() const noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  /// A change cancels `check`, which is repeated after the build.
  enum class Job : std::uint8_t { none, configure, build, check };
  /// State of the program; `leaving`: it was requested to stop.
  enum class Run : std::uint8_t { none, starting, serving, leaving };

  explicit Supervisor(DevState& state) noexcept : state_(&state) {}

  void wait();
  [[nodiscard]] int patience() const;
  void take_changes();
  void act_on_changes();
  void begin_build();
  void begin_job(Job job, std::vector<std::string> words);
  void hear_builder();
  void on_configured(bool is_good);
  void on_built(bool is_good);
  void begin_check();
  void on_checked(bool is_good);
  [[nodiscard]] bool is_building() const noexcept {
    return job_ == Job::configure || job_ == Job::build;
  }
  void break_build(const char* title);
  void restart();
  void start_program();
  void hear_program();
  void hear_notice();
  void on_ready();
  void on_ended(const Ending& how);
  void check_deadlines();
  void look_at_start();
  void end_all();
  [[nodiscard]] bool understands_development() const;
  void say(const std::string& line) const;

  DevState* state_;
  SupervisorOptions options_;
  std::optional<SourceWatch> watch_;
  Descriptor wake_;
  Descriptor notices_;
  std::string notify_name_;

  ChangeKind pending_ = ChangeKind::none;
  Clock::time_point changed_first_;
  Clock::time_point changed_last_;

  Job job_ = Job::none;
  ChildProcess builder_;
  std::string said_;
  ChangeKind built_for_ = ChangeKind::source;
  bool is_build_broken_ = false;  // the terminal and the pages still show it
  Clock::time_point build_began_;

  std::optional<IncludeCheck> includes_;
  bool is_check_due_ = false;

  std::optional<ProgramTarget> target_;
  std::optional<bool> has_development_;
  Run run_ = Run::none;
  ChildProcess program_;
  std::string program_said_;
  std::filesystem::file_time_type program_made_;
  Clock::time_point program_deadline_;
  Clock::time_point program_began_;
  Descriptor probe_;  // to a program that has not reported readiness; open since the first look
  std::chrono::seconds told_after_{0};
};

}  // namespace eider::dev
