// Configures the builds of `eider dev` and `eider run`: quick to compile, with a crash handler.
// Layering: must not build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/project/toolchain.h"
#include "eider/core/base/result.h"

namespace eider::dev {

/// Writes files that CMake includes to the folder `eider-dev` of the build directory: targets that
/// use Eider get a precompiled header unless they have one, and programs get a handler that prints
/// the stack of a crash.
///
/// errors  "cannot write …"
[[nodiscard]] Result<void, std::string> write_additions(const std::filesystem::path& build);

struct Configuring {
  std::filesystem::path source;
  std::filesystem::path build;
  /// "NAME=VALUE", for CMake.
  std::vector<std::string> definitions;
};

/// Returns the command that configures a build directory.
[[nodiscard]] std::vector<std::string> configure_words(const Toolchain& toolchain,
                                                       const Configuring& asked);

}  // namespace eider::dev
