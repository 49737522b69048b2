// Opens a file below a directory safely, also while other programs change the directory.
// Layering: must not follow links out of the directory unless configured to.
#pragma once

#include <string>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

/// The result of opening a file.
struct Opened {
  Descriptor file;
  int error = 0;  // an errno if there is no file
};

/// Whether the kernel may read the disk to find the file.
enum class Lookups : unsigned char { any, cached_only };

/// Opens `path` below the directory `root` for reading. Does not wait for the writer of a FIFO.
///
/// path     relative, without NUL; "" is the directory itself
/// returns  EXDEV if the path leads out of the directory; ELOOP for a link that must not be
///          followed; EAGAIN if `cached_only` would have to wait
/// cost     one system call (openat2), or one per segment if the kernel does not have it
[[nodiscard]] Opened open_beneath(int root, const std::string& path, Symlinks symlinks,
                                  Lookups lookups);

/// The same without openat2, segment by segment; all links are followed, or none (ELOOP).
[[nodiscard]] Opened open_by_segments(int root, std::string_view path, Symlinks symlinks);

}  // namespace eider::detail::files
