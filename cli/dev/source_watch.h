// Watches the files of a project (inotify(7)), and classifies changes: build, restart or reload.
// Layering: must not build, restart or reload.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

struct SourceChanges {
  /// Written, made, moved here or away, or gone; each once.
  std::vector<std::filesystem::path> files;
  /// The kernel has lost some: any file may have changed.
  bool are_incomplete = false;
};

/// Directories that begin with a dot, `build` of the project, those with a CMakeCache.txt and
/// node_modules are left out, as are links to directories.
class SourceWatch {
 public:
  /// errors  the kernel's limits are used up, with their names
  [[nodiscard]] static Result<SourceWatch, std::string> open(const std::filesystem::path& root,
                                                             std::filesystem::path left_out = {});

  /// Readable when something has changed.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// What has changed since the last call; waits for nothing.
  [[nodiscard]] SourceChanges read();

 private:
  struct Told;

  [[nodiscard]] bool is_left_out(const std::filesystem::path& directory) const;
  /// Watches the directory and all below; `found` gets the files that are there, for one that is
  /// new: they may have come before it was watched.
  [[nodiscard]] bool add(const std::filesystem::path& directory,
                         std::vector<std::filesystem::path>* found);
  void remove(const std::filesystem::path& directory);
  void take(const Told& told, SourceChanges& changes);

  Descriptor fd_;
  std::filesystem::path root_;
  std::filesystem::path left_out_;
  std::map<int, std::filesystem::path> directories_;  // by watch
};

/// In order of weight: what several files ask for together is the greatest.
enum class ChangeKind : std::uint8_t {
  /// An editor's own file, a database, a log: nothing.
  none,
  /// A style sheet: it is put in place on the page.
  style,
  /// A template, catalogue, script or picture: the page is loaded again.
  page,
  /// Read at the start alone, as settings are.
  setting,
  /// For the compiler.
  source,
};

[[nodiscard]] ChangeKind kind_of(const std::filesystem::path& file);
/// Of all together; incomplete ones are for the compiler, which finds out what has changed.
[[nodiscard]] ChangeKind kind_of(const SourceChanges& changes);

}  // namespace eider::dev
