// The results of `eider doctor`: one line each, with a fix.
// Layering: must not change the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

enum class FindingState : std::uint8_t { good, advice, bad };

/// name    "compiler"
/// found   the actual value or version
/// fix     the solution; empty if none is needed
struct Finding {
  std::string name;
  FindingState state = FindingState::good;
  std::string found;
  std::string fix{};
};

/// Checks what compiling needs: compilers, CMake, ninja, linkers, libraries, disk space.
[[nodiscard]] std::vector<Finding> findings_of_tools();
/// Checks what serving needs: features and limits of the kernel.
[[nodiscard]] std::vector<Finding> findings_of_kernel();
/// Checks a running program, using /proc and requests to it.
///
/// errors   the process does not exist
[[nodiscard]] Result<std::vector<Finding>, std::string> findings_of_process(int pid);

}  // namespace eider
