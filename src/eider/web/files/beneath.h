// Opens a file below a directory safely, also while other programs change the directory.
// Layering: must not follow links out of the directory unless configured to.
#pragma once

#include <string>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

/// What opening came to.
struct Opened {
  Descriptor file;
  int error = 0;  // an errno, when there is no file
};

/// Whether the kernel may go to the disk for it.
enum class Lookups : unsigned char { any, cached_only };

/// Opens `path` below the directory `root` for reading, without waiting for a fifo's writer.
///
/// path     relative, without NUL; "" is the directory itself
/// returns  EXDEV when the path leads out; ELOOP at a link that is not to be followed; EAGAIN when
///          `cached_only` would have had to wait
/// cost     one system call (openat2), or one per segment where the kernel does not have that
[[nodiscard]] Opened open_beneath(int root, const std::string& path, Symlinks symlinks,
                                  Lookups lookups);

/// The same without openat2, segment by segment; no link is followed (ELOOP) unless all are.
[[nodiscard]] Opened open_by_segments(int root, std::string_view path, Symlinks symlinks);

}  // namespace eider::detail::files
