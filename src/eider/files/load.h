// One file from below a directory into memory, with what a response needs to know of it.
// Must not know requests or responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "eider/files/beneath.h"

namespace eider {

struct FileWish {
  std::string path;
  std::size_t bytes_max = 0;
  /// Its bytes are not wanted unless it was changed after this second.
  std::optional<std::int64_t> unless_after;
};

struct LoadedFile {
  enum class Kind : std::uint8_t {
    file,
    unchanged,  // since FileWish::unless_after: without bytes
    directory,
    absent,  // not there, not readable, outside, or no regular file
    too_large,
    would_block,  // with Lookups::cached_only: ask again with `any`
    failed,       // the system ran out of something: `error` says of what
  };

  Kind kind = Kind::absent;
  std::int64_t modified_seconds = 0;
  std::string bytes{};
  int error = 0;
};

/// lookups  `cached_only` never waits for a disk, and reads small files only
[[nodiscard]] LoadedFile load_file(int root, const FileWish& wish, Lookups lookups);

}  // namespace eider
