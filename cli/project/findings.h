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
/// found   what is there
/// mend    what to do about it; empty where it is good
struct Finding {
  std::string name;
  FindingState state = FindingState::good;
  std::string found;
  std::string fix{};
};

/// What compiling takes: compilers, CMake, ninja, linkers, libraries, room on the disk.
[[nodiscard]] std::vector<Finding> findings_of_tools();
/// What serving takes: the kernel's features and limits.
[[nodiscard]] std::vector<Finding> findings_of_kernel();
/// Of a program that runs, by what /proc says of it and by asking it.
///
/// errors   there is no such process
[[nodiscard]] Result<std::vector<Finding>, std::string> findings_of_process(int pid);

}  // namespace eider
