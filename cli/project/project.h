// The project in which a command runs: its folder, and how CMake configures and builds it.
// Layering: must not know the commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/process/run.h"
#include "cli/project/toolchain.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"

namespace eider {

/// root  an absolute path
/// name  as in project(…); empty: CMake computes it
struct Project {
  std::string root;
  std::string name;
};

/// Finds the nearest folder, from here upward, whose CMakeLists.txt has project(…) and uses Eider:
/// it mentions eider outside of comments, or a CMakeLists.txt that it adds does.
///
/// from     a folder
/// errors   there is no project, with the command that creates one
[[nodiscard]] Result<Project, std::string> find_project(const std::string& from = ".");

/// A build of the project below build/, using the preset of that name if the project has it.
///
/// preset       "dev", "release", "asan", "tsan"
/// output       stream for the output of CMake and ninja
/// folder       below build/; empty: name of the preset
/// environment  for CMake, in addition to that of this program: CXXFLAGS, LDFLAGS
/// definitions  for CMake, used when the folder is new: "BUILD_TESTING=OFF"
struct Build {
  const Project& project;
  std::string preset;
  ProgramCall::Output output = ProgramCall::Output::shown;
  std::string folder{};
  std::vector<std::pair<std::string, std::string>> environment{};
  std::vector<std::string> definitions{};

  [[nodiscard]] std::string directory() const {
    return project.root + "/build/" + (folder.empty() ? preset : folder);
  }
};

/// Result of a step: its exit code, and the reason if it is not 0 (empty: already shown).
struct StepEnd {
  int status = 0;
  std::string why{};
  bool is_target_missing = false;

  [[nodiscard]] bool is_good() const noexcept { return status == 0; }
};

/// Configures the build if necessary, and builds the target; shows the output of CMake and ninja.
///
/// target   empty: all
[[nodiscard]] StepEnd build_project(const Build& build, std::string_view target = {});

/// Returns the program of the project in that build: the target with the project's name.
///
/// errors   the project is a library, or the program has another name
[[nodiscard]] Result<std::string, std::string> program_of(const Build& build);

/// Returns the project's version in that build, as set by project(…); "0" without one.
[[nodiscard]] std::string version_of(const Build& build);

/// Returns the value in CMake's cache of that build; empty: not set.
[[nodiscard]] std::string cached_value(const Build& build, std::string_view name);

/// Returns whether it is an existing file with an extension of C++ sources or headers.
[[nodiscard]] bool is_source(const std::string& file);

/// Returns C++ sources and other dependencies of tests, below the root: files that git tracks or
/// would add; without git, all except build/ and names with a leading dot.
[[nodiscard]] std::vector<std::string> source_files(const Project& project);

struct InProject {
  Project project{};
  /// The remaining arguments.
  std::vector<std::string> rest{};
};

/// Finds the project of --project DIR, or of the current folder. Read the options of the command
/// before.
///
/// takes    the expected remaining arguments: "TARGET"
/// errors   the exit code; the message is already printed
[[nodiscard]] Result<InProject, int> in_project(std::string_view command, CommandWords& words,
                                                std::string_view takes, std::size_t count_max);

/// Prints the reason unless it was shown before; returns the exit code.
int told_end(std::string_view command, const StepEnd& step);

}  // namespace eider
