// `eider package`: packages a program with its dependencies, as an archive or an image.
// Layering: an archive must need only the kernel and glibc on the target machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/project/project.h"
#include "eider/core/base/result.h"

namespace eider {

enum class PackageFormat : std::uint8_t { tar, oci };

/// output  a folder
/// more    additional files and folders of the project
struct PackageWanted {
  PackageFormat format = PackageFormat::tar;
  std::string output;
  std::vector<std::string> more{};
};

/// path    of the archive, or of the image's folder
/// digest  SHA-256 of the archive in hexadecimal digits; empty for an image
struct Package {
  std::string path;
  std::string name;
  std::string version;
  std::string digest{};
};

/// Builds the project in build/package, optimized, and packs it.
///
/// output   where CMake and ninja show their work
[[nodiscard]] Result<Package, StepEnd> make_package(const Project& project,
                                                    const PackageWanted& wanted,
                                                    ProgramCall::Output output);

}  // namespace eider
