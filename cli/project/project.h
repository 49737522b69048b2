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

/// A build of the project below build/, by the preset of that name where it has one.
///
/// preset       "dev", "release", "asan", "tsan"
/// output       where CMake and ninja show their work
/// folder       below build/; empty: as the preset
/// environment  that CMake has beside ours: CXXFLAGS, LDFLAGS
/// definitions  for CMake, which hears them when the folder is new: "BUILD_TESTING=OFF"
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

/// What came of a step: its exit code, and why where it is not 0 (empty: it was shown).
struct StepEnd {
  int status = 0;
  std::string why{};
  bool is_target_missing = false;

  [[nodiscard]] bool is_good() const noexcept { return status == 0; }
};

/// Configures it, if that is to be done, and builds the target; CMake and ninja show their work.
///
/// target   empty: all
[[nodiscard]] StepEnd build_project(const Build& build, std::string_view target = {});

/// The program of the project in that build: the target that is called as the project.
///
/// errors   it is a library, or the program is called otherwise
[[nodiscard]] Result<std::string, std::string> program_of(const Build& build);

/// The version of the project in that build, as project(…) says it; "0" where it says none.
[[nodiscard]] std::string version_of(const Build& build);

/// What CMake keeps of that name in that build; empty: nothing.
[[nodiscard]] std::string cached_value(const Build& build, std::string_view name);

/// Whether it is a file that is named as sources and headers of C++ are.
[[nodiscard]] bool is_source(const std::string& file);

/// Sources of C++ and what else tests depend on, below the root: what git knows or would add, or
/// all but build/ and what begins with a dot.
[[nodiscard]] std::vector<std::string> source_files(const Project& project);

struct InProject {
  Project project{};
  /// The words that are left.
  std::vector<std::string> rest{};
};

/// The project of --project DIR, or of the current folder. Options of the command are asked for
/// before.
///
/// takes    what the words that are left are: "TARGET"
/// errors   the exit code; why is told
[[nodiscard]] Result<InProject, int> in_project(std::string_view command, CommandWords& words,
                                                std::string_view takes, std::size_t count_max);

/// Tells why where that is not shown yet; the exit code.
int told_end(std::string_view command, const StepEnd& step);

}  // namespace eider
