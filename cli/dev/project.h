// The programs of a CMake project, the one that `eider dev` runs, and the lock of its build folder.
// Layering: must not build them.
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

/// Asks CMake to write down what it will build; ahead of configuring.
void ask_for_targets(const std::filesystem::path& build);

/// The programs that a configured tree builds.
[[nodiscard]] std::vector<ProgramTarget> read_targets(const std::filesystem::path& build);

/// wanted  empty: the program with the project's name, or the only one that is not a test
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
