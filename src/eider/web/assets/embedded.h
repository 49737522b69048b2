// Files that the build embeds in the program (cmake/EiderAssets.cmake).
// Layering: must be cheap to include, because generated sources include it.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// name         as in the directory: "css/app.css"
/// hashed_name  with the hash of the content: "css/app.3f2a9c01b2d4.css"
/// integrity    "sha256-…" (Subresource Integrity)
/// gzip         the content in that coding; empty: it would not be smaller
struct EmbeddedAsset {
  std::string_view name;
  std::string_view hashed_name;
  std::string_view integrity;
  std::string_view content;
  std::string_view gzip;
  std::string_view brotli;
};

/// Embedded assets in the order of their names.
using EmbeddedAssets = std::span<const EmbeddedAsset>;

}  // namespace eider
