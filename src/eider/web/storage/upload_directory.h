// Resumable uploads on the disk: what has arrived, and what is to become of it.
// Layering: must run on the blocking pool; knows no HTTP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/web/storage/stored_object.h"

namespace eider::detail::storage {

/// One upload, as its file ID.json has it.
///
/// bytes         of the complete file
/// key           of the object that it becomes
/// tus_metadata  Upload-Metadata as the client sent it
/// is_done       the object is stored
/// group         prefix of the routes that created it; empty: of a version without groups
struct UploadInfo {
  std::uint64_t bytes = 0;
  std::string key = {};
  std::string filename = {};
  std::string content_type = {};
  StorageMetadata metadata = {};
  std::string tus_metadata = {};
  std::int64_t expires_seconds = 0;
  bool is_done = false;
  std::string group = kOptional;
  std::int64_t created_seconds = 0;
};

/// An upload that is locked: no other request and no other process may change it.
struct LockedUpload {
  std::shared_ptr<const Descriptor> lock;
  UploadInfo info;
  /// Of what has arrived. Nothing: the file was moved, and the upload is not noted as done.
  std::optional<std::uint64_t> offset;
};

/// The directory has three files for an upload: ID.json, ID.data with what has arrived, whose size
/// is the offset, and ID.lock. While a part with a checksum arrives, ID.check has the offset before
/// it: a part that was not verified is cut off after a crash. An upload exists if its ID.json does.
/// Several groups of routes may share the directory: for each, the uploads of the others do not
/// exist.
class UploadDirectory {
 public:
  enum class Refusal : std::uint8_t { absent, locked, too_many, too_many_bytes };

  /// Creates the directory for this user alone if it is missing. Throws a Failure if that fails.
  ///
  /// group  prefix of the routes
  UploadDirectory(std::string path, std::string group);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string data_path(const std::string& id) const {
    return path_ + "/" + id + ".data";
  }
  /// Whether it can be the name of an upload: 32 hexadecimal digits.
  [[nodiscard]] static bool is_id(std::string_view id) noexcept;

  // Throw a Failure with 500, 503 or 507 for errors of the disk.

  /// Limits of the uploads in the directory that are not complete. Uploads without a new byte for
  /// an hour are deleted if there is no place otherwise, the oldest first.
  ///
  /// bytes_max  sum of the declared sizes
  struct Limits {
    std::size_t count_max = 0;
    std::uint64_t bytes_max = 0;
  };
  [[nodiscard]] Result<void, Refusal> create(const std::string& id, UploadInfo info,
                                             const Limits& limits) const;
  /// Locks an upload, and cuts off what was not verified.
  [[nodiscard]] Result<LockedUpload, Refusal> lock(const std::string& id) const;
  /// The properties and the offset without a lock: others may change them.
  [[nodiscard]] std::optional<LockedUpload> look(const std::string& id) const;
  /// Writes bytes at the offset.
  void write(const std::string& id, std::uint64_t offset, std::string_view bytes) const;
  /// All that was written is on the disk afterwards.
  void sync(const std::string& id) const;
  /// Marks the offset: later bytes are cut off unless `accept_part` is called.
  void begin_part(const std::string& id, std::uint64_t offset) const;
  void accept_part(const std::string& id) const;
  /// Cuts off all after the offset.
  void cut(const std::string& id, std::uint64_t offset) const;
  void save(const std::string& id, const UploadInfo& info) const;
  /// Saves an upload whose object is stored. Its lock is of no use any more.
  void save_done(const std::string& id, const UploadInfo& info) const;
  void remove(const std::string& id) const;
  /// Deletes an upload that no group deletes: a day after its expiry one of another group, and a
  /// day after its creation one whose record is not valid JSON.
  ///
  /// returns  whether it was deleted
  bool remove_abandoned(const std::string& id, std::int64_t now_seconds) const;
  /// Of all groups.
  [[nodiscard]] std::vector<std::string> ids() const;
  /// Deletes files that a crash has left of uploads that do not exist.
  void remove_left_behind() const;

 private:
  /// An upload of any group whose bytes are in the directory.
  ///
  /// bytes    that the client has declared
  /// arrived  of them
  struct Incomplete {
    std::string id;
    std::uint64_t bytes = 0;
    std::uint64_t arrived = 0;
    std::filesystem::file_time_type written{};
  };

  [[nodiscard]] std::string file(const std::string& id, std::string_view ending) const;
  [[nodiscard]] std::optional<UploadInfo> read_info(const std::string& id) const;
  [[nodiscard]] std::optional<std::uint64_t> checked_offset(const std::string& id) const;
  [[nodiscard]] std::vector<Incomplete> incomplete() const;
  [[nodiscard]] std::optional<Refusal> make_room(std::uint64_t bytes, const Limits& limits) const;
  [[nodiscard]] bool is_abandoned(const std::string& id, std::int64_t now_seconds) const;
  [[nodiscard]] bool remove_idle(const Incomplete& upload) const;

  std::string path_;
  std::string group_;
};

}  // namespace eider::detail::storage
