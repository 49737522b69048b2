// The interface of the places where objects can be stored.
// Layering: must not check keys and options: Storage does (storage.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// The permission and limits of a signed URL.
///
/// content_type  of an upload; empty: any
/// bytes         exact size of an upload with PUT
/// bytes_max     of an upload by form
struct UrlTerms {
  enum class Allows : std::uint8_t { download, put, form };

  Allows allows = Allows::download;
  std::string key;
  std::int64_t now_seconds = 0;
  std::int64_t within_seconds = 0;
  std::string content_type = {};
  std::string filename = {};
  std::optional<std::uint64_t> bytes = std::nullopt;
  std::uint64_t bytes_max = 0;
};

/// fields  of a form, in their order; the file comes after them
struct SignedUrl {
  struct Field {
    std::string name;
    std::string value;
  };

  std::string url;
  std::vector<Field> fields{};
};

/// A file that was written before.
///
/// bytes  of the object; more may follow in the file after a crash
/// lock   held as long as the file is used, also if the task is destroyed meanwhile
struct WrittenFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::shared_ptr<const void> lock{};
};

/// Errors are thrown as a Failure, with 502, 503 or 507 for those of the place itself.
class StorageBackend {
 public:
  StorageBackend() = default;
  StorageBackend(const StorageBackend&) = delete;
  StorageBackend& operator=(const StorageBackend&) = delete;
  virtual ~StorageBackend() = default;

  /// length  of all of it, if it is known
  [[nodiscard]] virtual Task<StoredObject> put(std::string key, ContentSource source,
                                               std::optional<std::uint64_t> length,
                                               PutOptions options) const = 0;
  /// Stores a file, and deletes it. It may be called again for the same file after a crash.
  [[nodiscard]] virtual Task<StoredObject> put_file(std::string key, WrittenFile file,
                                                    PutOptions options) const = 0;
  [[nodiscard]] virtual Task<std::optional<StoredObject>> head(std::string key) const = 0;
  /// if_etag  nothing, or the version that is read: otherwise none is found
  [[nodiscard]] virtual Task<std::optional<OpenedObject>> get(std::string key, ObjectRange range,
                                                              std::string if_etag) const = 0;
  [[nodiscard]] virtual Task<> remove(std::string key) const = 0;
  [[nodiscard]] virtual Task<ObjectPage> list(std::string prefix, ListOptions options) const = 0;
  /// Tasks of this event loop that continue after their request, for example to store a file. They
  /// are cancelled when the loop ends.
  [[nodiscard]] virtual Scope& tasks() const = 0;
  /// A URL of the place itself; nothing: the application serves it.
  [[nodiscard]] virtual std::optional<SignedUrl> sign_url(const UrlTerms& /*terms*/) const {
    return std::nullopt;
  }
};

}  // namespace eider::detail::storage
