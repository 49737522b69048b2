// Files that the process opens while it serves, for the sandbox.
// Layering: must not list files that are opened once, before serving.
#pragma once

#include <string>
#include <vector>

namespace eider::detail::base {

/// Tells it for as long as the process lives, from any thread. Of a file its directory is let be
/// reached, since it may be replaced in it, and have others beside it; of a directory all below it.
/// An empty path is nothing. Told behind the beginning of a sandbox it changes nothing, and what
/// comes behind a thousand others is let go.
void allow_in_sandbox(const std::string& path);
/// The same, to write to, make and remove as well.
void will_write(const std::string& path);
/// That path and nothing beside it: of a file that lies where more is than is this program's, as in
/// a home directory.
void will_read_alone(const std::string& path);

struct ReachedFile {
  std::string path;
  bool is_written = false;
  bool is_alone = false;

  friend auto operator<=>(const ReachedFile&, const ReachedFile&) = default;
};

/// Each once, with an absolute path. What is not there is among it.
[[nodiscard]] std::vector<ReachedFile> reached_files();

}  // namespace eider::detail::base
