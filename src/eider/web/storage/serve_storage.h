// Routes for stored objects: downloads, and uploads by signed URLs.
// Layering: must not store by itself: Storage does.
#pragma once

#include <cstdint>
#include <string>

#include "eider/app/app.h"
#include "eider/web/storage/storage.h"

namespace eider {

/// Clients that may download objects.
///
/// signed_urls  clients with a URL of Storage::download_url
/// all          all clients that pass the guards of the routes
enum class StorageAccess : std::uint8_t { signed_urls, all };

struct ServeStorageOptions {
  StorageAccess access = StorageAccess::signed_urls;
  /// With `all`: the prefix of the keys that can be downloaded, which the URL does not contain:
  /// "public/". Empty, or ends with '/'.
  std::string key_prefix = {};
  SendOptions send = {};
};

/// Serves objects below a path, and the signed URLs of a local directory:
///
///     serve_storage(app, "/files", storage);                          // signed URLs only
///     serve_storage(app, "/photos", storage,
///                   {.access = StorageAccess::all, .key_prefix = "photos/"})
///         .guard(require<User>());
///
/// With `signed_urls`: GET of download URLs, PUT of upload URLs, POST of upload forms to the path
/// itself; 403 for other requests. With `all`: GET.
///
/// returns  the group of the routes, for guards and middleware
Routes serve_storage(Routes& routes, GroupPrefix prefix, Storage storage,
                     ServeStorageOptions options = {});

}  // namespace eider
