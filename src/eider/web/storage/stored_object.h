// The properties of stored objects, and the options with which they are stored and read.
// Layering: must not know where objects are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// Metadata of an object, by names of lowercase letters, digits and '-'; "filename" is reserved.
using StorageMetadata = std::map<std::string, std::string>;

/// The properties of an object.
///
/// etag              with its quotes; another version of the object has another one
/// modified_seconds  since 1970
/// filename          the name for downloads; empty: the last segment of the key
struct StoredObject {
  std::string key;
  std::uint64_t bytes = 0;
  std::string content_type = {};
  std::string etag = {};
  std::int64_t modified_seconds = 0;
  std::string filename = {};
  StorageMetadata metadata = {};
};

/// Options of a new object.
struct PutOptions {
  /// Media type; empty: by the extension of `filename`, or of the key without one. If a client sent
  /// it, it can be wrong, and downloads treat it so.
  std::string content_type = {};
  /// The name for downloads, such as the name that the file had on the client; any text, stored as
  /// `safe_filename` returns it, with at most 255 bytes.
  std::string filename = {};
  /// At most 2,000 bytes in total with the filename, percent-encoded as in S3; values are UTF-8
  /// without control characters.
  StorageMetadata metadata = {};
  /// Maximum size of the object. A larger one is rejected with 413, and nothing is stored.
  std::uint64_t bytes_max = std::uint64_t{1} << 30U;
  /// Whether an object with that key is replaced; otherwise the call throws ObjectExists.
  bool overwrites = true;
};

/// Thrown if there is already an object with that key, and PutOptions::overwrites is false. Its
/// error is a 409.
class ObjectExists : public Failure {
 public:
  explicit ObjectExists(const std::string& key)
      : Failure(Error::conflict("There is already an object with the key \"" + key + "\".")) {}
};

/// A part of an object.
///
/// bytes  nothing: to the end
struct ObjectRange {
  std::uint64_t first = 0;
  std::optional<std::uint64_t> bytes = std::nullopt;
};

/// A page of keys, in the order of their bytes. `content_type`, `filename` and `metadata` of the
/// objects are empty.
///
/// next  for ListOptions::after; nothing on the last page
struct ObjectPage {
  std::vector<StoredObject> objects;
  std::optional<std::string> next = std::nullopt;
};

struct ListOptions {
  /// Objects with greater keys only.
  std::string after = {};
  /// 1 to 1,000.
  std::size_t count_max = 1000;
};

namespace detail::storage {

/// Returns the next piece of content at each call; an empty piece is the end.
using ContentSource = std::function<Task<std::string>()>;

/// An object that is being read.
class ObjectBytes {
 public:
  ObjectBytes() = default;
  ObjectBytes(const ObjectBytes&) = delete;
  ObjectBytes& operator=(const ObjectBytes&) = delete;
  virtual ~ObjectBytes() = default;
  /// The next piece; empty: the end. Throws a Failure with 502 or 503 if the rest cannot be read.
  [[nodiscard]] virtual Task<std::string> next() = 0;
};

/// first, bytes  the part of it that `content` reads
/// file          the whole object at the front of a file, for sendfile; null if it is in no file
struct OpenedObject {
  StoredObject about;
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  std::unique_ptr<ObjectBytes> content{};
  std::shared_ptr<const Descriptor> file{};
};

}  // namespace detail::storage

/// An object that is being read:
///
///     std::optional<ObjectReader> photo = co_await storage->get("photos/cat.jpg");
///     if (!photo) co_return fail(Error::not_found());
///     for (std::string piece = co_await photo->next(); !piece.empty();
///          piece = co_await photo->next()) { … }
class ObjectReader {
 public:
  explicit ObjectReader(detail::storage::OpenedObject opened) noexcept
      : opened_(std::move(opened)) {}

  [[nodiscard]] const StoredObject& about() const noexcept { return opened_.about; }
  /// Returns the number of bytes that `next` returns in total.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return opened_.bytes; }
  /// Returns the next piece; empty: the end.
  ///
  /// errors  throws a Failure with 502 or 503 if the rest cannot be read
  [[nodiscard]] Task<std::string> next() { return opened_.content->next(); }

  /// For the library, which sends files without copying them.
  [[nodiscard]] detail::storage::OpenedObject& opened() noexcept { return opened_; }

 private:
  detail::storage::OpenedObject opened_;
};

}  // namespace eider
