// A regular file below a directory: its bytes if it is small, otherwise an open descriptor.
// Layering: must not know requests, responses or media types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/protocols/http/etag.h"
#include "eider/web/files/beneath.h"

namespace eider::detail::files {

/// What tells one state of a file from another.
struct FileState {
  FileVersion version;
  std::uint64_t device = 0;
  /// When anything about it was changed last: also a date set back leaves its mark here.
  std::int64_t touched_ns = 0;

  friend bool operator==(const FileState&, const FileState&) = default;
};

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

}  // namespace eider::detail::files
