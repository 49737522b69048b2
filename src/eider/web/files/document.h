// A file as a resource: its bytes, its precompressed siblings, and their headers; and a cache.
// Layering: must not know requests; a Document does not change after its creation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/lru_map.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/etag.h"
#include "eider/web/files/beneath.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

/// The properties that change when a file changes.
struct FileState {
  FileVersion version;
  std::uint64_t device = 0;
  /// Time of the last change of the inode (ctime): it also shows a modification time that was set
  /// back.
  std::int64_t touched_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

/// A regular file below a directory: its bytes if it is small, otherwise an open descriptor.
struct StoredFile {
  FileState state;
  /// The complete file if it is small; then `file` is null.
  std::string bytes;
  /// Used instead for bytes that exist as long as the program, such as embedded files.
  std::string_view lasting;
  std::shared_ptr<const Descriptor> file;
  /// The file was changed so recently that another change might not be visible in its state. RFC
  /// 9110, section 8.8.1, requires a weak validator then, and the next check reads the file again.
  bool is_young = false;

  /// Pre: the file is in memory.
  [[nodiscard]] std::string_view view() const noexcept {
    return lasting.empty() ? std::string_view(bytes) : lasting;
  }
  [[nodiscard]] std::uint64_t size() const noexcept {
    return file == nullptr ? view().size() : state.version.size;
  }
};

struct FindFile {
  enum class Kind : std::uint8_t {
    file,
    directory,
    absent,       // missing, not readable, outside of the directory, or not a regular file
    would_block,  // for Lookups::cached_only: call again with `any`
    failed,       // the system ran out of something
  };

  Kind kind = Kind::absent;
  std::shared_ptr<const StoredFile> file{};
};

struct FileWish {
  const std::string& path;
  Symlinks symlinks = Symlinks::beneath;
  std::size_t small_bytes_max = 0;
  /// Seconds since 1970.
  std::int64_t now_seconds = 0;
  /// The known state of the file, which is returned if it is still valid. May be null.
  std::shared_ptr<const StoredFile> known{};
};

/// lookups  `cached_only` never waits for a disk
[[nodiscard]] FindFile find_file(int root, const FileWish& wish, Lookups lookups);

/// One variant of a document: the file itself, or a sibling in a content coding.
struct Variant {
  /// "br", "zstd", "gzip"; empty for the file itself.
  std::string_view coding;
  std::shared_ptr<const StoredFile> file;
  /// Value of ETag, with quotes; weak for a file that has just been changed.
  std::string entity_tag;
  /// Value of Last-Modified, never in the future (RFC 9110, section 8.8.2.1); nothing: unknown.
  std::optional<std::int64_t> modified_seconds;
  /// The headers of a 200.
  std::string field_lines;
  /// Number of bytes at the front that a 304 also has: ETag, Last-Modified, Cache-Control and Vary.
  std::size_t own_lines_bytes = 0;
};

struct Document {
  /// Valid as long as the options are.
  std::string_view content_type;
  /// The file itself.
  Variant plain;
  /// Existing siblings, the smallest first.
  std::vector<Variant> siblings;
  /// Time of the last check, by the clock of an event loop.
  Instant seen_at;

  /// Returns whether a later check may compare it: none of its files was changed just now.
  [[nodiscard]] bool is_settled() const noexcept;
  /// Return the memory and the number of file descriptors that it uses.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::size_t open_files() const noexcept;
};

/// Sets the headers of all variants, which depend on each other (Vary).
void write_lines(Document& document, std::string_view cache_control);

struct FindDocument {
  FindFile::Kind kind = FindFile::Kind::absent;
  std::shared_ptr<const Document> document{};
};

/// The current time by both clocks of an event loop's turn.
struct Moment {
  Instant now;
  std::int64_t wall_seconds = 0;
};

/// Checks the file and its siblings; files that have not changed since `known` are not read again.
///
/// path   relative, checked by judge_path (path_policy.h)
/// known  the previous result; may be null
/// pre    `options` outlive the document
[[nodiscard]] FindDocument find_document(int root, const std::string& path,
                                         const FilesOptions& options, const Moment& moment,
                                         const std::shared_ptr<const Document>& known,
                                         Lookups lookups);

/// Recently requested documents, bounded in memory and file descriptors, for all event loops.
/// Thread-safe.
class DocumentCache {
 public:
  struct Limits {
    std::size_t memory_bytes_max;
    std::size_t open_files_max;
  };

  explicit DocumentCache(const Limits& limits) noexcept : limits_(limits) {}

  /// Returns the last document of `path`; null if it is not cached.
  [[nodiscard]] std::shared_ptr<const Document> find(std::string_view path);
  /// Replaces the cached document of `path`, if there is room or room can be made.
  void put(std::string_view path, std::shared_ptr<const Document> document);
  void remove(std::string_view path);

  struct Held {
    std::size_t documents = 0;
    std::size_t memory_bytes = 0;
    std::size_t open_files = 0;
  };
  [[nodiscard]] Held held() const;

 private:
  struct Entry {
    std::string path;
    std::shared_ptr<const Document> document;
  };

  void subtract(const Entry& removed) noexcept;

  const Limits limits_;
  mutable std::mutex mutex_;
  LruMap<Entry, &Entry::path> entries_;
  std::size_t memory_bytes_ = 0;
  std::size_t open_files_ = 0;
};

}  // namespace eider::detail::files
