// Packages a program with its dependencies, as an archive or an image, and copies it to another
// machine: `eider package` and `eider deploy`.
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

// The shared libraries that a program needs, and their packages (closure.cc).

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

// The bill of materials: CycloneDX 1.5 as JSON, for vulnerability scanners (bill.cc). It contains
// no time or random value, so that packages are reproducible.

/// distribution  source of the packages, as purl names it: "debian"
/// packages      each with its files, whose paths are hashed
struct BillOfMaterials {
  std::string name;
  std::string version;
  std::string distribution;
  std::vector<SystemPackage> packages{};
};

/// errors   a file cannot be read
/// source   https://cyclonedx.org/docs/1.5/json/, https://github.com/package-url/purl-spec
[[nodiscard]] Result<std::string, std::string> cyclonedx_of(const BillOfMaterials& bill);

/// Returns the SHA-256 of a file in hexadecimal digits, using sha256sum.
[[nodiscard]] Result<std::string, std::string> sha256_of_file(const std::string& path);

/// Returns the name of this distribution in /etc/os-release: "debian"; "linux" if it has none.
[[nodiscard]] std::string distribution_here();

// A container image in a folder, for `skopeo copy oci:DIR …`, without a daemon (oci.cc).

/// layer        a tar file, which becomes the only layer
/// created      seconds since 1970
/// environment  "EIDER_LISTEN=0.0.0.0:8080"
/// program      path in the image
struct OciImage {
  std::string layer;
  std::string name;
  std::string version;
  std::int64_t created = 0;
  std::string program;
  std::vector<std::string> environment{};
};

/// Creates the folder. gzip compresses the layer, and removes its original file.
///
/// errors   a required program cannot be run, or a file cannot be written
/// source   https://github.com/opencontainers/image-spec, image-layout.md, config.md, manifest.md
[[nodiscard]] Result<void, std::string> write_oci_layout(const std::string& folder,
                                                         const OciImage& image);

/// Returns the name of this architecture for images and packages: "amd64", "arm64".
[[nodiscard]] std::string architecture_here();

// `eider deploy`: needs only a shell and its usual tools on the other machine (deploy.cc).

/// Returns the script that runs on the other machine with sh -c; see deploy_script.cc for its
/// arguments.
[[nodiscard]] std::string_view deploy_script() noexcept;

/// Quotes `word` so that a shell treats it as one word, whatever it contains.
[[nodiscard]] std::string shell_quoted(std::string_view word);

/// Returns a hardened systemd unit for the program `name` in the folder `directory` on that
/// machine.
[[nodiscard]] std::string systemd_unit(const std::string& name, const std::string& directory);

}  // namespace eider
