// What a build for development is made with: the fastest of what is installed.
// Must not build.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::dev {

struct Toolchain {
  /// Paths; the compiler and the linker are empty where CMake is to choose.
  std::string cmake;
  std::string ninja;
  std::string compiler;
  /// "mold" or "lld".
  std::string linker;
};

/// The path of a program that is on PATH; empty: it is not.
[[nodiscard]] std::string find_on_path(std::string_view name);

/// clang ahead of g++, whose precompiled headers do not hold templates that are instantiated; mold
/// ahead of lld ahead of what the compiler takes. CXX, where it is set, is not overruled.
///
/// errors  CMake or Ninja is not installed, and how to install it
[[nodiscard]] Result<Toolchain, std::string> find_toolchain();

/// Writes what CMake is to include into the tree's directory `eider-dev`: the programs and
/// libraries that use Eider get a precompiled header unless they have one, and the programs a
/// handler that tells the stack of a crash.
///
/// errors  "cannot write …"
[[nodiscard]] Result<void, std::string> write_additions(const std::filesystem::path& build);

struct Configuring {
  std::filesystem::path source;
  std::filesystem::path build;
  /// "NAME=VALUE", for CMake.
  std::vector<std::string> definitions;
};

/// The words that configure a tree.
[[nodiscard]] std::vector<std::string> configure_words(const Toolchain& toolchain,
                                                       const Configuring& asked);

/// Where this program is installed: its prefix, when a package of Eider is there, too; else empty.
[[nodiscard]] std::filesystem::path own_prefix();

}  // namespace eider::dev
