// Style sheets, scripts and pictures of pages: in the program, or from a directory while one
// develops. Must not make pages or choose what belongs on them.
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
  /// Where they lie; without parameters.
  std::string prefix = "/assets";
  /// While one develops: the directory they are served from as they are now, in place of what is in
  /// the program.
  std::string development_directory = {};
};

/// The addresses of assets; a copy is another handle of the same.
class Assets {
 public:
  /// "/assets/app.3f2a9c01b2d4.css" for "app.css", "/assets/app.css" while one develops. Throws a
  /// Failure that names one that is not there, at the start where it is asked for then.
  [[nodiscard]] std::string url(std::string_view name) const;
  /// The same without the prefix.
  [[nodiscard]] std::string name(std::string_view name) const;
  /// "sha256-…" for the attribute `integrity` (Subresource Integrity); empty while one develops.
  [[nodiscard]] std::string integrity(std::string_view name) const;

 private:
  friend Assets serve_assets(Routes& routes, EmbeddedAssets embedded, const AssetsOptions& options,
                             std::source_location where);
  explicit Assets(std::shared_ptr<const detail::assets::AssetNames> names)
      : names_(std::move(names)) {}

  std::shared_ptr<const detail::assets::AssetNames> names_;
};

/// Adds the assets below the prefix, and says their addresses. What has a hash in its name is kept
/// by caches for good (RFC 8246); the plain names are there too, and asked about before each use.
/// Compressed forms, conditions and ranges are as serve_files has them.
///
///     #include "notes_assets.h"                        // made by eider_assets(notes DIRECTORY
///     web) const Assets assets = serve_assets(app, notes_assets()); const std::string style =
///     assets.url("app.css");
///
/// embedded  lives as long as the program
/// errors    a directory for development that cannot be opened: thrown as a Failure
Assets serve_assets(Routes& routes, EmbeddedAssets embedded, const AssetsOptions& options = {},
                    std::source_location where = std::source_location::current());

/// As Assets::url, for templates.
[[nodiscard]] inline std::string asset_url(const Assets& assets, std::string_view name) {
  return assets.url(name);
}

}  // namespace eider
