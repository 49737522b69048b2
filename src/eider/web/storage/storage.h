// Storage: stores files as objects in a local directory or in S3.
// Layering: must not know owners or permissions: those are rows and guards of the application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/app/handlers/multipart.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/body_stream.h"
#include "eider/web/storage/storage_options.h"
#include "eider/web/storage/stored_object.h"

namespace eider {

namespace detail::storage {
class StorageBackend;
struct StorageState;
}  // namespace detail::storage

/// Options of a response with an object.
struct SendOptions {
  /// The name for downloads; empty: that of the object, or the last segment of its key.
  std::string filename = {};
  /// Value of Cache-Control.
  std::string cache_control = "private, no-cache";
  /// Media types that browsers may display: "image/png", or all of a kind, "video/*". All other
  /// objects are sent as application/octet-stream with Content-Disposition: attachment, so that a
  /// file of one user cannot run a script in the browser of another one. Never add HTML, SVG or XML
  /// for files of users.
  std::vector<std::string> shown_types = {"image/png",  "image/jpeg", "image/gif", "image/webp",
                                          "image/avif", "audio/*",    "video/*",   "text/plain"};
};

struct DownloadUrlOptions {
  /// 1 second to 7 days; otherwise a Failure with 500 is thrown.
  Duration expires_in = std::chrono::minutes(10);
  /// The name for downloads, as in SendOptions.
  std::string filename = {};
};

struct UploadUrlOptions {
  /// 1 second to 7 days; otherwise a Failure with 500 is thrown.
  Duration expires_in = std::chrono::minutes(10);
  /// The Content-Type that the client must send; empty: application/octet-stream.
  std::string content_type = {};
  /// The exact size of the file, which the client must send. Nothing: any size up to 1 GiB, or,
  /// with S3, any size that the server of S3 accepts. Set it, or use a form.
  std::optional<std::uint64_t> bytes = std::nullopt;
};

struct UploadFormOptions {
  /// 1 second to 7 days; otherwise a Failure with 500 is thrown.
  Duration expires_in = std::chrono::minutes(10);
  /// The required media type of the file: "image/png", or all of a kind, "image/*"; empty: any.
  std::string content_type = {};
  std::uint64_t bytes_max = std::uint64_t{16} << 20U;
};

/// A form (multipart/form-data) by which a browser uploads a file: hidden inputs for `fields`, then
/// the file as `file`, posted to `url`.
///
/// With S3, the field Content-Type becomes the type of the object. If any type is allowed, it is
/// application/octet-stream until a script sets it. For all of a kind ("image/*"), a script must
/// add it before the file: S3 does not check the type of the file itself.
struct UploadForm {
  struct Field {
    std::string name;
    std::string value;
  };

  std::string url;
  std::vector<Field> fields = {};
};

/// Stores files as objects under keys such as "photos/2026/cat.jpg", in a local directory or in S3.
/// Copies share the storage. Safe to use from several threads; its tasks run on event loops.
///
///     app.state(Storage(own.storage));
///     app.post("/photos", [](Multipart form, State<Storage> storage) -> Task<StoredObject> { … });
///
/// A put is atomic: readers get the whole old or the whole new object, also after a crash, and of
/// two concurrent puts one wins. Keys are checked by check_storage_key.
///
/// errors  thrown as a Failure: 400 for an invalid key or option, 413 for a file that is too large,
///         409 for a key that cannot be used, 507 if the disk is full, 500 for other disk errors or
///         an invalid `expires_in`, 502 or 503 if S3 fails
class Storage {
 public:
  /// Opens the directory, or prepares the requests to S3. Throws a Failure with the reason if an
  /// option is missing or invalid, or the directory cannot be used.
  explicit Storage(const StorageOptions& options = {});

  /// Stores the bytes.
  [[nodiscard]] Task<StoredObject> put(std::string key, std::string bytes,
                                       PutOptions options = {}) const;
  /// Stores a request body as it arrives.
  [[nodiscard]] Task<StoredObject> put(std::string key, BodyStream body,
                                       PutOptions options = {}) const;
  /// Stores a file of a form as it arrives; without a filename or type in `options`, those that the
  /// client sent.
  [[nodiscard]] Task<StoredObject> put(std::string key, Multipart::Part& part,
                                       PutOptions options = {}) const;
  /// Stores pieces until an empty one.
  ///
  /// length  of all pieces, if it is known
  [[nodiscard]] Task<StoredObject> put(std::string key, detail::storage::ContentSource source,
                                       PutOptions options = {},
                                       std::optional<std::uint64_t> length = std::nullopt) const;

  /// Returns the properties of an object; nothing if it does not exist.
  [[nodiscard]] Task<std::optional<StoredObject>> head(std::string key) const;
  /// Opens an object, or a part of it; nothing if it does not exist.
  [[nodiscard]] Task<std::optional<ObjectReader>> get(std::string key,
                                                      ObjectRange range = {}) const;
  /// Reads a whole object; nothing if it does not exist. Throws a Failure with 413 if it is larger
  /// than `bytes_max`.
  [[nodiscard]] Task<std::optional<std::string>> read(std::string key, std::size_t bytes_max) const;
  /// Deletes an object. An object that does not exist is not an error.
  [[nodiscard]] Task<> remove(std::string key) const;
  /// Lists objects whose key starts with `prefix`.
  [[nodiscard]] Task<ObjectPage> list(std::string prefix = {}, ListOptions options = {}) const;

  /// Responds with an object, with ETag, Last-Modified, ranges, preconditions and nosniff; 404 if
  /// it does not exist. Check permissions before. Pre: `request` outlives the task.
  [[nodiscard]] Task<Response> send(std::string key, const Request& request,
                                    SendOptions options = {}) const;

  /// Returns a URL by which anyone can download the object until it expires. For a local directory,
  /// `serve_storage` must have been called.
  [[nodiscard]] std::string download_url(const std::string& key,
                                         const DownloadUrlOptions& options = {}) const;
  /// Returns a URL to which anyone can PUT the object until it expires.
  [[nodiscard]] std::string upload_url(const std::string& key,
                                       const UploadUrlOptions& options = {}) const;
  /// Returns a form by which anyone can upload the object until it expires.
  [[nodiscard]] UploadForm upload_form(const std::string& key,
                                       const UploadFormOptions& options = {}) const;

  // For the library.
  [[nodiscard]] const detail::storage::StorageBackend& backend() const noexcept;
  [[nodiscard]] detail::storage::StorageState& state() const noexcept { return *state_; }

 private:
  std::shared_ptr<detail::storage::StorageState> state_;
};

}  // namespace eider
