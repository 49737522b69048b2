// Writes a container image to a folder, for `skopeo copy oci:DIR …`.
// Layering: must not need a daemon or know the contents of the image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// layer        a tar file, which becomes the only layer
/// created      seconds since 1970
/// environment  "EIDER_LISTEN=0.0.0.0:8080"
/// program      its path in the image
struct OciImage {
  std::string layer;
  std::string name;
  std::string version;
  std::int64_t created = 0;
  std::string program;
  std::vector<std::string> environment{};
};

/// Makes the folder. The layer is packed by gzip, and gone from where it was.
///
/// errors   a program that it takes cannot be run, or a file not be written
/// source   https://github.com/opencontainers/image-spec, image-layout.md, config.md, manifest.md
[[nodiscard]] Result<void, std::string> write_oci_layout(const std::string& folder,
                                                         const OciImage& image);

/// What images and packages call this machine: "amd64", "arm64".
[[nodiscard]] std::string architecture_here();

}  // namespace eider
