// The compilers and build tools in PATH, and the prefix of the installed Eider.
// Layering: must not run them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// Returns the path of a program in PATH; empty: not found. A name with a slash is a path.
[[nodiscard]] std::string find_program(std::string_view name);

/// Returns the installed compilers of those that Eider supports, best first: "clang++-19". clang is
/// before g++, whose precompiled headers do not contain instantiated templates.
[[nodiscard]] std::vector<std::string> known_compilers();

/// Returns the value of CXX; empty: none is chosen.
[[nodiscard]] std::string chosen_compiler();

struct Toolchain {
  /// Paths. The compiler is the best supported one; empty: CXX is set, or none is installed.
  std::string cmake = {};
  std::string ninja = {};
  std::string compiler = {};
  /// "mold" or "lld"; empty: the compiler's default.
  std::string linker = {};
};

/// errors  CMake or Ninja is not installed, with the package to install
[[nodiscard]] Result<Toolchain, std::string> find_toolchain();

/// Returns the compiler: CXX, or the best of the known ones.
///
/// errors  there is none, with the package to install
[[nodiscard]] Result<std::string, std::string> compiler_of(const Toolchain& toolchain);

/// Returns the prefix in which this program and a package of Eider are installed; empty if there is
/// no package.
[[nodiscard]] std::filesystem::path own_prefix();

/// Returns CMAKE_PREFIX_PATH with `own_prefix`, for programs that look for Eider; empty without
/// one.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> package_environment();

}  // namespace eider
