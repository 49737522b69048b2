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

}  // namespace eider
