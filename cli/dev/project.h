// A CMake project as `eider dev` sees it: where it is, and which program of it is meant.
// Must not build it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

/// One that CMake links.
struct ProgramTarget {
  std::string name;
  std::filesystem::path file;
};

/// The directory with the uppermost CMakeLists.txt from here upwards, without a gap.
///
/// errors  there is none, and what else may be meant
[[nodiscard]] Result<std::filesystem::path, std::string> find_project(
    const std::filesystem::path& from);

/// Asks CMake to write down what it will build; ahead of configuring.
void ask_for_targets(const std::filesystem::path& build);

/// The programs that a configured tree builds.
[[nodiscard]] std::vector<ProgramTarget> read_targets(const std::filesystem::path& build);

/// wanted  empty: the only one that is no test, or the one of the project's name
/// errors  there is none, or more than one, by name
[[nodiscard]] Result<ProgramTarget, std::string> choose_target(
    const std::vector<ProgramTarget>& targets, const std::string& wanted,
    const std::string& project);

/// Held by one `eider dev` of a build tree, for as long as it runs.
class ProjectLock {
 public:
  /// errors  another one runs, with its process and its address
  [[nodiscard]] static Result<ProjectLock, std::string> take(const std::filesystem::path& build);
  /// For the next one that is refused.
  void tell(const std::string& url) const;

 private:
  Descriptor file_;
};

}  // namespace eider::dev
