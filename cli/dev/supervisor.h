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
  /// Empty: the program of that name, or the project's only one.
  std::string target = {};
  /// For the program.
  std::vector<std::string> words = {};
  /// The program's variables in addition to those that every program gets.
  std::vector<std::pair<std::string, std::string>> environment = {};
  /// Where the program is to listen; held open here, so that what connects while there is none
  /// waits in the kernel's queue.
  Descriptor listener = {};
};

class Supervisor {
 public:
  /// errors  what the kernel refuses: files cannot be watched
  [[nodiscard]] static Result<Supervisor, std::string> make(SupervisorOptions options,
                                                            DevState& state);

  /// Until `stop`; then all that it has started is gone.
  void run();
  /// From any thread. Pre: `run` goes on, or is called later
  void stop() const noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  /// `check` is broken off by what is saved, and begun again after the build.
  enum class Job : std::uint8_t { none, configure, build, check };
  /// Of the program: `leaving` is one that has been told to.
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
  bool is_build_broken_ = false;  // the terminal and the pages say so still
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
  Descriptor probe_;  // of one that does not tell when it is ready: open since it was looked at
  std::chrono::seconds told_after_{0};
};

}  // namespace eider::dev
