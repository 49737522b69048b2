#include "eider/web/assets/assets.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/program_files.h"
#include "eider/protocols/http/etag.h"
#include "eider/protocols/http/mime.h"
#include "eider/web/files/document.h"
#include "eider/web/files/document_response.h"
#include "eider/web/files/file_server.h"
#include "eider/web/files/path_policy.h"

namespace eider {

namespace detail::assets {

/// Maps the names of assets to those in URLs.
class AssetNames {
 public:
  /// base  path of the assets, with a slash at its end
  AssetNames(EmbeddedAssets embedded, std::string base, const AssetsOptions& options)
      : embedded_(embedded),
        base_(std::move(base)),
        directory_(program_path(options.development_directory)) {}

  [[nodiscard]] const std::string& base() const noexcept { return base_; }
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

  [[nodiscard]] std::string name(std::string_view name) const {
    if (directory_.empty()) {
      return std::string(asset(name).hashed_name);
    }
    std::error_code error;
    const std::filesystem::path path = std::filesystem::path(directory_) / name;
    return std::filesystem::is_regular_file(path, error) ? std::string(name) : refuse(name);
  }
  [[nodiscard]] std::string integrity(std::string_view name) const {
    return directory_.empty() ? std::string(asset(name).integrity) : std::string();
  }

 private:
  [[nodiscard]] const EmbeddedAsset& asset(std::string_view name) const {
    const auto found = std::ranges::lower_bound(embedded_, name, {}, &EmbeddedAsset::name);
    if (found == embedded_.end() || found->name != name) {
      refuse(name);
    }
    return *found;
  }
  [[noreturn]] std::string refuse(std::string_view name) const {
    throw Failure(
        Error::internal("Asset not found: \"" + std::string(name) + "\"" +
                        (directory_.empty() ? " in the program" : " in directory " + directory_)));
  }

  EmbeddedAssets embedded_;
  std::string base_;
  std::string directory_;
};

}  // namespace detail::assets

namespace {

using detail::files::Document;
using detail::files::StoredFile;
using detail::files::Variant;

/// Files with a hash in their name never change (RFC 8246).
constexpr std::string_view kForGood = "public, max-age=31536000, immutable";
constexpr std::string_view kAskedAbout = "no-cache";

Variant make_variant(std::string_view coding, std::string_view content,
                     std::string_view integrity) {
  auto file = std::make_shared<StoredFile>();
  file->lasting = content;
  Variant variant;
  variant.coding = coding;
  variant.file = std::move(file);
  // The hash of the uncompressed content; the coding distinguishes the variants.
  variant.entity_tag = write_entity_tag(std::string(integrity).append(coding));
  return variant;
}

Document make_document(const EmbeddedAsset& asset, std::string_view cache_control) {
  Document document;
  document.content_type = media_type_of(asset.name);
  document.plain = make_variant({}, asset.content, asset.integrity);
  if (!asset.brotli.empty()) {
    document.siblings.push_back(make_variant("br", asset.brotli, asset.integrity));
  }
  if (!asset.gzip.empty()) {
    document.siblings.push_back(make_variant("gzip", asset.gzip, asset.integrity));
  }
  std::ranges::sort(document.siblings, {}, [](const Variant& it) { return it.file->size(); });
  write_lines(document, cache_control);
  return document;
}

/// Maps both names of each asset to its document.
std::map<std::string_view, Document> make_documents(EmbeddedAssets embedded) {
  std::map<std::string_view, Document> documents;
  for (const EmbeddedAsset& asset : embedded) {
    documents.emplace(asset.hashed_name, make_document(asset, kForGood));
    documents.emplace(asset.name, make_document(asset, kAskedAbout));
  }
  return documents;
}

void serve_embedded(Routes& routes, EmbeddedAssets embedded, const std::string& base,
                    std::source_location where) {
  const auto documents =
      std::make_shared<const std::map<std::string_view, Document>>(make_documents(embedded));
  routes.get(
      RuntimePattern{base + "{path...}", where},
      [documents](std::string path, const Request& request) -> Result<Response> {
        const auto found = documents->find(path);
        if (found == documents->end() || detail::files::has_encoded_slash(path, request.path())) {
          return fail(Error::not_found());
        }
        // Assets have no dates that depend on the current time.
        return respond_with(found->second, request, 0);
      });
}

}  // namespace

std::string Assets::url(std::string_view name) const {
  return names_->base() + names_->name(name);
}

std::string Assets::name(std::string_view name) const {
  return names_->name(name);
}

std::string Assets::integrity(std::string_view name) const {
  return names_->integrity(name);
}

Assets serve_assets(Routes& routes, EmbeddedAssets embedded, const AssetsOptions& options,
                    std::source_location where) {
  const std::string own = options.prefix.ends_with('/') ? options.prefix : options.prefix + "/";
  auto names = std::make_shared<const detail::assets::AssetNames>(
      embedded, std::string(routes.prefix()) + own, options);
  if (names->directory().empty()) {
    serve_embedded(routes, embedded, own, where);
  } else {
    const FilesOptions each_time{.recheck = Duration::zero()};
    serve_files(routes, options.prefix, names->directory(), each_time, where);
  }
  return Assets(std::move(names));
}

}  // namespace eider
