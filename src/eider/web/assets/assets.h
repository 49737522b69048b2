// Assets of pages (style sheets, scripts, images): embedded in the program, or from a directory
// during development.
// Layering: must not generate pages or choose their assets.
#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <string_view>

#include "eider/web/assets/embedded.h"

namespace eider {

class Routes;

namespace detail::assets {
class AssetNames;
}

struct AssetsOptions {
  /// Path prefix of the assets, below that of the group; without parameters.
  std::string prefix = "/assets";
  /// For development: serves the current files of this directory instead of the embedded ones.
  std::string development_directory = {};
};

/// The URLs of assets. Copies refer to the same assets.
class Assets {
 public:
  /// Returns "/assets/app.3f2a9c01b2d4.css" for "app.css", and "/assets/app.css" during
  /// development. Throws a Failure for a missing asset, at startup if it is called then.
  [[nodiscard]] std::string url(std::string_view name) const;
  /// The same without the prefixes.
  [[nodiscard]] std::string name(std::string_view name) const;
  /// Returns "sha256-…" for the attribute `integrity` (Subresource Integrity); empty during
  /// development.
  [[nodiscard]] std::string integrity(std::string_view name) const;

 private:
  friend Assets serve_assets(Routes& routes, EmbeddedAssets embedded, const AssetsOptions& options,
                             std::source_location where);
  explicit Assets(std::shared_ptr<const detail::assets::AssetNames> names)
      : names_(std::move(names)) {}

  std::shared_ptr<const detail::assets::AssetNames> names_;
};

/// Adds the assets below the prefix, and returns their URLs. Names with a hash are cached forever
/// (RFC 8246); plain names exist, too, and are revalidated before each use. Compression,
/// preconditions and ranges work as in serve_files.
///
///     #include "notes_assets.h"                // made by eider_assets(notes DIRECTORY web)
///     const Assets assets = serve_assets(app, notes_assets());
///     const std::string style = assets.url("app.css");
///
/// embedded  lives as long as the program
/// errors    the development directory cannot be opened: thrown as a Failure
Assets serve_assets(Routes& routes, EmbeddedAssets embedded, const AssetsOptions& options = {},
                    std::source_location where = std::source_location::current());

/// The same as Assets::url, for templates.
[[nodiscard]] inline std::string asset_url(const Assets& assets, std::string_view name) {
  return assets.url(name);
}

}  // namespace eider
