// The bill of materials of a package: CycloneDX 1.5 as JSON, for vulnerability scanners.
// Layering: must not contain a time or random value, so that packages are reproducible.
#pragma once

#include <string>
#include <vector>

#include "cli/project/closure.h"
#include "eider/core/base/result.h"

namespace eider {

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

}  // namespace eider
