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
  /// Written, created, moved or deleted files, without duplicates.
  std::vector<std::filesystem::path> files;
  /// The kernel has lost events: any file may have changed.
  bool are_incomplete = false;
};

/// Watches a project. Excluded are directories that begin with a dot, `build` of the project,
/// directories with a CMakeCache.txt, node_modules, and links to directories.
class SourceWatch {
 public:
  /// errors  a limit of the kernel is reached, with its name
  [[nodiscard]] static Result<SourceWatch, std::string> open(const std::filesystem::path& root,
                                                             std::filesystem::path left_out = {});

  /// Readable when something has changed.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Returns the changes since the last call, without waiting.
  [[nodiscard]] SourceChanges read();

 private:
  struct Told;

  [[nodiscard]] bool is_left_out(const std::filesystem::path& directory) const;
  /// Watches the directory and all below it. For a new directory, `found` gets the existing files,
  /// which may have been created before the watch.
  [[nodiscard]] bool add(const std::filesystem::path& directory,
                         std::vector<std::filesystem::path>* found);
  void remove(const std::filesystem::path& directory);
  void take(const Told& told, SourceChanges& changes);

  Descriptor fd_;
  std::filesystem::path root_;
  std::filesystem::path left_out_;
  std::map<int, std::filesystem::path> directories_;  // by watch
};

/// In ascending order: the largest value of several files applies.
enum class ChangeKind : std::uint8_t {
  /// An editor's temporary file, a database, a log: no action.
  none,
  /// A style sheet: replaced on the page.
  style,
  /// A template, catalogue, script or picture: the page is reloaded.
  page,
  /// A file that is read only at startup, such as settings.
  setting,
  /// A file for the compiler.
  source,
};

[[nodiscard]] ChangeKind kind_of(const std::filesystem::path& file);
/// Returns the largest kind. If changes are incomplete, the build determines what has changed.
[[nodiscard]] ChangeKind kind_of(const SourceChanges& changes);

}  // namespace eider::dev
