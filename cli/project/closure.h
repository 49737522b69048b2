// The shared libraries that a program needs, and their packages.
// Layering: must not copy libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// name       as programs ask for it: "libz.so.1"
/// path       where it is here
/// is_system  of the C library: it has to be as old as the kernel's side wants it, and comes with
///            the system
struct SharedLibrary {
  std::string name;
  std::string path;
  bool is_system = false;
};

/// loader     the program that starts it: "/lib64/ld-linux-x86-64.so.2"; empty: it needs none
/// libraries  all that it needs and that these need, by name
struct Closure {
  std::string loader{};
  std::vector<SharedLibrary> libraries{};
};

/// What ldd has said.
///
/// errors   a library that is not found
[[nodiscard]] Result<Closure, std::string> read_ldd(std::string_view said);

/// Asks ldd.
///
/// errors   a library that is not found, or ldd cannot be run
[[nodiscard]] Result<Closure, std::string> closure_of(const std::string& program);

/// A package of the distribution's, with what of it is packed.
///
/// name     "zlib1g"; of what no package has, the file's name
/// version  empty where no package has it
/// files    of the closure: names
struct SystemPackage {
  std::string name;
  std::string version{};
  std::string architecture{};
  std::vector<SharedLibrary> files{};
};

/// By dpkg where there is one; in order of their names.
///
/// errors   it was stopped
[[nodiscard]] Result<std::vector<SystemPackage>, std::string> packages_of(
    const std::vector<SharedLibrary>& libraries);

}  // namespace eider
