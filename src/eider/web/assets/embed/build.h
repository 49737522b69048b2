// Prepares assets for embedding: hashes, replaces references with hashed names, compresses.
// Layering: must not read or write files (main.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::detail::embed {

struct AssetSource {
  std::string name;
  std::string content;
};

/// As EmbeddedAsset (embedded.h).
struct BuiltAsset {
  std::string name;
  std::string hashed_name;
  std::string integrity;
  std::string content;
  std::string gzip = {};
  std::string brotli = {};
};

/// In the order of their names. In style sheets, relative references to other assets get their
/// hashed names; those with a scheme, a host or a path from the root stay.
///
/// errors  a reference to what is not there, with file and line; style sheets that refer to each
///         other; a name that could not stand in an address as it is
[[nodiscard]] Result<std::vector<BuiltAsset>, std::string> build_assets(
    std::vector<AssetSource> sources);

/// The same content in a coding; empty where that gains nothing (compressed.cc), or this build has
/// no compression (compressed_absent.cc).
[[nodiscard]] std::string gzipped(std::string_view content);
[[nodiscard]] std::string brotlied(std::string_view content);

/// All contents behind each other, to be brought in by the source.
[[nodiscard]] std::string contents_of(const std::vector<BuiltAsset>& assets);
/// A source of C++ that defines `eider::EmbeddedAssets function()`.
///
/// contents_path  of what contents_of gives
[[nodiscard]] std::string source_of(const std::vector<BuiltAsset>& assets,
                                    std::string_view function, std::string_view contents_path);
[[nodiscard]] std::string header_of(std::string_view function);

}  // namespace eider::detail::embed
