// `eider build --pgo`: instruments the program, runs it under load, compiles with the profile.
// Layering: must not keep an instrumented program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/project/project.h"

namespace eider {

/// project  project to build; its name is that of the program
/// load     a file of requests for `eider bench --requests-file`
/// options  arguments of the program
struct ProfiledBuild {
  Project project;
  std::string load;
  std::vector<std::string> options{};
};

/// Builds build/release and build/pgo, and prints how much less a request costs in the second.
[[nodiscard]] StepEnd build_by_profile(const ProfiledBuild& wanted);

enum class ProfileStage : std::uint8_t { counts, is_counted };

/// Returns the flags with which compilers instrument code, or use the profile: for compiling and
/// linking.
///
/// file  clang's profile
[[nodiscard]] std::vector<std::string> profile_flags(ProfileStage stage, bool is_clang,
                                                     const std::string& file);

/// CPU time of a request in two programs, measured alternately.
struct CostRound {
  double plain_us = 0;
  double profiled_us = 0;
};

/// Returns text such as "A request costs 0.93 of the CPU time in build/release (0.91 to 0.95 in 5
/// rounds): 11.2 µs instead of 12.0": the median, the minimum and the maximum. If the range
/// includes 1, it adds that the difference is not significant.
///
/// Pre: there is a round
[[nodiscard]] std::string told_gain(std::vector<CostRound> rounds);

}  // namespace eider
