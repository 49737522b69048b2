// Files that the process opens while it serves, for the sandbox.
// Layering: must not list files that are opened once, before serving.
#pragma once

#include <string>
#include <vector>

namespace eider::detail::base {

/// Allows the sandbox to read a path for the rest of the process. For a file, the sandbox allows
/// its directory, because the file may be replaced and may have files next to it; for a directory,
/// everything in it. An empty path is ignored. Calls after the sandbox is applied have no effect.
/// More than a thousand paths are ignored. Thread-safe.
void allow_in_sandbox(const std::string& path);
/// Like allow_in_sandbox, and also allows the process to write, create and remove files there.
void will_write(const std::string& path);
/// Allows only the path itself, for a file in a directory with files of other programs, such as a
/// home directory.
void will_read_alone(const std::string& path);

struct ReachedFile {
  std::string path;
  bool is_written = false;
  bool is_alone = false;

  friend auto operator<=>(const ReachedFile&, const ReachedFile&) = default;
};

/// Returns each path once, as an absolute path. Paths that do not exist are included.
[[nodiscard]] std::vector<ReachedFile> reached_files();

}  // namespace eider::detail::base
