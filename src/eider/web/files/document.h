// A file as a resource: its bytes, its precompressed siblings, and their headers.
// Layering: must not know requests; a Document does not change after its creation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/etag.h"
#include "eider/web/files/beneath.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

/// What tells one state of a file from another.
struct FileState {
  FileVersion version;
  std::uint64_t device = 0;
  /// When anything about it was changed last: also a date set back leaves its mark here.
  std::int64_t touched_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

/// A regular file below a directory: its bytes if it is small, otherwise an open descriptor.
struct StoredFile {
  FileState state;
  /// All of it, when it is small; then `file` is null.
  std::string bytes;
  /// In its place what lives as long as the program, such as what is built into it.
  std::string_view lasting;
  std::shared_ptr<const Descriptor> file;
  /// It was changed so recently that another change may leave the same state: RFC 9110, section
  /// 8.8.1, asks for a weak validator then, and it is not worth keeping.
  bool is_young = false;

  /// Pre: it is in memory.
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
    absent,       // not there, not readable, outside, or no regular file
    would_block,  // with Lookups::cached_only: ask again with `any`
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
  /// What is known of it: given back when it is still so. May be null.
  std::shared_ptr<const StoredFile> known{};
};

/// lookups  `cached_only` never waits for a disk
[[nodiscard]] FindFile find_file(int root, const FileWish& wish, Lookups lookups);

/// One form of a document: the file itself, or a sibling in a content coding.
struct Variant {
  /// "br", "zstd", "gzip"; empty for the file itself.
  std::string_view coding;
  std::shared_ptr<const StoredFile> file;
  /// As ETag says it, with quotes; weak for a file just changed.
  std::string entity_tag;
  /// As Last-Modified says it: never in the future (RFC 9110, section 8.8.2.1). Nothing: nobody
  /// knows.
  std::optional<std::int64_t> modified_seconds;
  /// The field lines of a 200.
  std::string field_lines;
  /// How many of their bytes, at the front, are those of a 304 too: ETag, Last-Modified,
  /// Cache-Control and Vary.
  std::size_t own_lines_bytes = 0;
};

struct Document {
  /// Valid as long as the options are.
  std::string_view content_type;
  /// The file itself.
  Variant plain;
  /// Those that are there, the smallest first.
  std::vector<Variant> siblings;
  /// When it was looked at last, by a loop's clock.
  Instant seen_at;

  /// Whether it may be kept: nothing of it was changed just now.
  [[nodiscard]] bool is_settled() const noexcept;
  /// What it holds of memory and descriptors.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  [[nodiscard]] std::size_t open_files() const noexcept;
};

/// Fills in the field lines of all forms, which depend on each other (Vary).
void write_lines(Document& document, std::string_view cache_control);

struct FindDocument {
  FindFile::Kind kind = FindFile::Kind::absent;
  std::shared_ptr<const Document> document{};
};

/// What time it is, by both clocks of a loop's turn.
struct Moment {
  Instant now;
  std::int64_t wall_seconds = 0;
};

/// Looks at the file and its siblings; what has not changed since `known` is not read again.
///
/// path   relative, judged (path_policy.h)
/// known  what was found there before; may be null
/// pre    `options` outlive the document
[[nodiscard]] FindDocument find_document(int root, const std::string& path,
                                         const FilesOptions& options, const Moment& moment,
                                         const std::shared_ptr<const Document>& known,
                                         Lookups lookups);

}  // namespace eider::detail::files
