// Prepares assets for embedding: hashes, replaces references with hashed names, compresses.
// Layering: must not read or write files (main.cc).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::detail::embed {

/// offset  of the reference in the style sheet, without quotes and parentheses
/// line    line number, from 1
struct CssReference {
  std::size_t offset;
  std::string_view text;
  std::size_t line;
};

/// Returns all references in order, without those in comments and other strings. References with a
/// CSS escape are skipped.
///
/// source  CSS Syntax Module Level 3, sections 4.3.5 and 4.3.6
[[nodiscard]] std::vector<CssReference> css_references(std::string_view css);

struct AssetSource {
  std::string name;
  std::string content;
};

/// The source of an EmbeddedAsset (embedded.h).
struct BuiltAsset {
  std::string name;
  std::string hashed_name;
  std::string integrity;
  std::string content;
  std::string gzip = {};
  std::string brotli = {};
};

/// Returns the assets in the order of their names. In style sheets, relative references to other
/// assets get their hashed names. References with a scheme, a host or an absolute path are not
/// changed.
///
/// errors  a reference to a missing file, with file and line; style sheets that refer to each
///         other; a name that would have to be encoded in a URL
[[nodiscard]] Result<std::vector<BuiltAsset>, std::string> build_assets(
    std::vector<AssetSource> sources);

/// Return the content in a content coding; empty if that is not smaller (compressed.cc), or if this
/// build has no compression (compressed_absent.cc).
[[nodiscard]] std::string gzipped(std::string_view content);
[[nodiscard]] std::string brotlied(std::string_view content);

/// Returns the concatenated contents, for a file that the generated source embeds.
[[nodiscard]] std::string contents_of(const std::vector<BuiltAsset>& assets);
/// Returns C++ source that defines `eider::EmbeddedAssets function()`.
///
/// contents_path  of the file with the result of contents_of
[[nodiscard]] std::string source_of(const std::vector<BuiltAsset>& assets,
                                    std::string_view function, std::string_view contents_path);
[[nodiscard]] std::string header_of(std::string_view function);

}  // namespace eider::detail::embed
