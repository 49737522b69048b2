// The state that all copies of a Storage share: its place, and the URLs that the application signs.
// Layering: must not send responses.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/signed_token.h"
#include "eider/web/storage/backend.h"

namespace eider::detail::storage {

/// Signs URLs of the application: "/files/photos/a.jpg?allows=download&expires=…&signature=…".
class AppUrls {
 public:
  /// key         empty: a random one
  /// public_url  in front of each path; may be empty
  AppUrls(std::string key, std::string public_url);

  /// The path below which `serve_storage` serves signed URLs: the first one is used.
  ///
  /// returns  whether this is the first one
  bool set_mount(std::string path);
  /// Replaces it, once the app knows where it is mounted itself.
  void move_mount(std::string path);
  /// Throws a Failure if there is no mount yet.
  [[nodiscard]] SignedUrl sign(const UrlTerms& terms) const;

  /// The terms of a signed URL for that key; nothing if it is not signed, not for this use, or
  /// expired.
  [[nodiscard]] std::optional<UrlTerms> open(std::string_view query, const std::string& key,
                                             UrlTerms::Allows allows,
                                             std::int64_t now_seconds) const;
  /// The same for the token of a form.
  [[nodiscard]] std::optional<UrlTerms> open_form(std::string_view token, const std::string& key,
                                                  std::int64_t now_seconds) const;

 private:
  /// The URL of the mount. Throws a Failure if there is none yet.
  [[nodiscard]] std::string base() const;
  [[nodiscard]] std::optional<UrlTerms> open_token(std::string_view token, const std::string& key,
                                                   UrlTerms::Allows allows,
                                                   std::int64_t now_seconds) const;

  base::TokenSigner signer_;
  std::string public_url_;
  mutable std::mutex mutex_;
  std::optional<std::string> mount_;
};

struct StorageState {
  StorageState(std::unique_ptr<const StorageBackend> its_backend, std::string key,
               std::string public_url)
      : backend(std::move(its_backend)), urls(std::move(key), std::move(public_url)) {}

  std::unique_ptr<const StorageBackend> backend;
  /// The directory of a local storage; empty for another place.
  std::string directory{};
  AppUrls urls;
};

/// The key of signed URLs in a file of the directory, which is made with the first use: all
/// processes with the directory have the same one. Throws a Failure if it cannot be read.
[[nodiscard]] std::string key_in(const std::string& directory);

/// Whether a media type is `allowed`: "image/png", or "image/*". Parameters do not count. A text
/// that is not one media type is never allowed.
[[nodiscard]] bool is_type(std::string_view type, std::string_view allowed) noexcept;

}  // namespace eider::detail::storage
