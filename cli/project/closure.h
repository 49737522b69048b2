// The shared libraries that a program needs, and their packages.
// Layering: must not copy libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// name       as programs load it: "libz.so.1"
/// path       on this machine
/// is_system  part of the C library: it belongs to the system and must match the loader, so it is
///            not packaged
struct SharedLibrary {
  std::string name;
  std::string path;
  bool is_system = false;
};

/// loader     the program's ELF interpreter: "/lib64/ld-linux-x86-64.so.2"; empty: not needed
/// libraries  all direct and indirect dependencies, by name
struct Closure {
  std::string loader{};
  std::vector<SharedLibrary> libraries{};
};

/// Parses the output of ldd.
///
/// errors   a library was not found
[[nodiscard]] Result<Closure, std::string> read_ldd(std::string_view said);

/// Runs ldd.
///
/// errors   a library was not found, or ldd cannot be run
[[nodiscard]] Result<Closure, std::string> closure_of(const std::string& program);

/// A package of the distribution, with those of its files that are packed.
///
/// name     "zlib1g"; for a file without a package, its file name
/// version  empty for a file without a package
/// files    names in the closure
struct SystemPackage {
  std::string name;
  std::string version{};
  std::string architecture{};
  std::vector<SharedLibrary> files{};
};

/// Finds the packages with dpkg, if it is installed; ordered by name.
///
/// errors   it was stopped
[[nodiscard]] Result<std::vector<SystemPackage>, std::string> packages_of(
    const std::vector<SharedLibrary>& libraries);

}  // namespace eider
