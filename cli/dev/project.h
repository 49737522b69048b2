// The programs of a CMake project, the one that `eider dev` runs, and the lock of its build folder.
// Layering: must not build them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

/// A program that CMake links.
struct ProgramTarget {
  std::string name;
  std::filesystem::path file;
};

/// Makes CMake write its targets to files; call it before configuring.
void ask_for_targets(const std::filesystem::path& build);

/// Returns the programs of a configured build tree.
[[nodiscard]] std::vector<ProgramTarget> read_targets(const std::filesystem::path& build);

/// wanted  empty: the program with the project's name, or the only one that is not a test
/// errors  there is no such program, or several, with their names
[[nodiscard]] Result<ProgramTarget, std::string> choose_target(
    const std::vector<ProgramTarget>& targets, const std::string& wanted,
    const std::string& project);

/// A lock that one `eider dev` has for a build tree while it runs.
class ProjectLock {
 public:
  /// errors  another `eider dev` runs, with its process and its address
  [[nodiscard]] static Result<ProjectLock, std::string> take(const std::filesystem::path& build);
  /// Stores the address for the error of the next `eider dev`.
  void tell(const std::string& url) const;

 private:
  Descriptor file_;
};

}  // namespace eider::dev
