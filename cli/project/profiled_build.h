// `eider build --pgo`: instruments the program, runs it under load, compiles with the profile.
// Layering: must not keep an instrumented program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/project/project.h"

namespace eider {

/// project  of what is built; its name is the program's
/// load     a file of requests, as `eider bench --requests-file` reads it
/// options  for the program
struct ProfiledBuild {
  Project project;
  std::string load;
  std::vector<std::string> options{};
};

/// Builds build/release and build/pgo, and tells by how much a request costs less in the second.
[[nodiscard]] StepEnd build_by_profile(const ProfiledBuild& wanted);

enum class ProfileStage : std::uint8_t { counts, is_counted };

/// The flags by which compilers count, or take what was counted: for compiling and linking alike.
///
/// file  clang's profile
[[nodiscard]] std::vector<std::string> profile_flags(ProfileStage stage, bool is_clang,
                                                     const std::string& file);

/// What a request costs of the processor, in two programs by turns.
struct CostRound {
  double plain_us = 0;
  double profiled_us = 0;
};

/// "A request costs 0.93 of what it costs in build/release (0.91 to 0.95 in 5 rounds): 11.2 µs of
/// the processor in place of 12.0". The middle round, and the least and most of all; where these
/// lie on both sides of 1, that they tell no difference.
///
/// Pre: there is a round
[[nodiscard]] std::string told_gain(std::vector<CostRound> rounds);

}  // namespace eider
