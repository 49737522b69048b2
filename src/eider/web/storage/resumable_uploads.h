// Resumable uploads by the tus protocol 1.0, for clients such as tus-js-client and Uppy.
// Layering: must not know users: guards do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "eider/app/app.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/storage/storage.h"

namespace eider {

/// An upload that a client wants to begin. The properties are those that the client sends.
///
/// id     random and unique, for the key of the object; not the secret ID in the URL of the upload
/// bytes  of the complete file
struct ResumableUpload {
  std::string id;
  std::uint64_t bytes = 0;
  std::string filename = {};
  std::string content_type = {};
  StorageMetadata metadata = {};
};

struct ResumableUploadOptions {
  /// Directory for incomplete uploads. Empty: "uploads" in the directory of a local storage; S3
  /// needs one.
  std::string directory = {};
  /// Maximum size of a file; larger ones get 413.
  std::uint64_t bytes_max = std::uint64_t{5} << 30U;
  /// Maximum number of incomplete uploads in the directory; further ones get 503. Before that,
  /// uploads that got no byte for an hour are deleted, the oldest first.
  std::size_t count_max = 1000;
  /// Maximum sum of the sizes of incomplete uploads, by their declared sizes, at least `bytes_max`;
  /// the same applies.
  std::uint64_t total_bytes_max = std::uint64_t{100} << 30U;
  /// Time after which an incomplete upload is deleted. One without a byte is deleted after at most
  /// an hour, and the record of a complete one after 15 minutes.
  Duration expires_in = std::chrono::hours(24);
  /// Returns the key of the object, or an error, such as 403 for this user or 415 for the type.
  /// Default: "uploads/" and ResumableUpload::id.
  std::function<Result<std::string>(const Request&, const ResumableUpload&)> key = {};
  /// Called when the object is stored, before the client gets the response to its last part. It is
  /// called again if it fails, or if the process is killed meanwhile: at least once.
  std::function<Task<>(StoredObject)> on_stored = {};
};

/// Serves resumable uploads: a client that loses its connection continues where it was, also after
/// a restart of the server.
///
///     serve_resumable_uploads(app, "/uploads", storage).guard(require<User>());
///
/// Extensions of tus 1.0: creation, creation-with-upload, termination, expiration, checksum (sha1,
/// sha256). A PATCH locks its upload; another one gets 423 meanwhile. The URL of an upload contains
/// a random ID and is its only secret; guards of the group apply to each request. Processes that
/// share the directory share the uploads.
///
/// returns  the group of the routes, for guards and middleware
Routes serve_resumable_uploads(Routes& routes, GroupPrefix prefix, Storage storage,
                               ResumableUploadOptions options = {});

}  // namespace eider
