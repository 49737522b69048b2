// Objects in a directory of this machine.
// Layering: must not check keys: Storage does.
#pragma once

#include <memory>
#include <string>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/web/storage/backend.h"

namespace eider::detail::storage {

/// `objects/` holds a file for each object, in directories by the segments of its key; `tmp/` the
/// files that are not complete. All processes of the machine may share the directory.
class LocalBackend final : public StorageBackend {
 public:
  /// Makes the directory if it is missing, only for this user; its parent must exist. Throws a
  /// Failure with the reason if it cannot be used.
  explicit LocalBackend(const std::string& directory);

  Task<StoredObject> put(std::string key, ContentSource source, std::optional<std::uint64_t> length,
                         PutOptions options) const override;
  Task<StoredObject> put_file(std::string key, WrittenFile file, PutOptions options) const override;
  Task<std::optional<StoredObject>> head(std::string key) const override;
  Task<std::optional<OpenedObject>> get(std::string key, ObjectRange range,
                                        std::string if_etag) const override;
  Task<> remove(std::string key) const override;
  Task<ObjectPage> list(std::string prefix, ListOptions options) const override;
  Scope& tasks() const override { return tasks_.here(); }

 private:
  struct Place;

  LoopLocal<Scope> tasks_{[] { return std::make_unique<Scope>(); }};
  std::shared_ptr<const Place> place_;  // shared with work on the pool
};

// Errors of all places.
[[nodiscard]] Error too_large(std::uint64_t bytes_max);

/// The error of the disk for clients and for the log; 507 if it is full.
[[nodiscard]] Error disk_error(int number, std::string_view doing);

}  // namespace eider::detail::storage
