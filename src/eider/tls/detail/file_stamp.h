// Whether a file is another than it was: which one, how long, and since when.
// Must not read it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace eider::detail {

/// All zero where there is no file.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  /// Nanoseconds since 1970: of the content, and of the file's place (a rename).
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) noexcept = default;
};

/// Follows links, as those that certbot and Kubernetes exchange. An empty path has no file.
[[nodiscard]] FileStamp stamp_of(const std::string& path) noexcept;

}  // namespace eider::detail
