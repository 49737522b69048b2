// The bill of materials of a package: CycloneDX 1.5 as JSON, for vulnerability scanners.
// Layering: must not contain a time or random value, so that packages are reproducible.
#pragma once

#include <string>
#include <vector>

#include "cli/project/closure.h"
#include "eider/core/base/result.h"

namespace eider {

/// distribution  where the packages are from, as purl names it: "debian"
/// packages      with files whose paths are those to be hashed
struct BillOfMaterials {
  std::string name;
  std::string version;
  std::string distribution;
  std::vector<SystemPackage> packages{};
};

/// errors   a file cannot be read
/// source   https://cyclonedx.org/docs/1.5/json/, https://github.com/package-url/purl-spec
[[nodiscard]] Result<std::string, std::string> cyclonedx_of(const BillOfMaterials& bill);

/// SHA-256 of a file in hexadecimal digits, by sha256sum.
[[nodiscard]] Result<std::string, std::string> sha256_of_file(const std::string& path);

/// What /etc/os-release calls this distribution: "debian"; "linux" where it says nothing.
[[nodiscard]] std::string distribution_here();

}  // namespace eider
