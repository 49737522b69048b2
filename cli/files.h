// Reads and writes whole files, with errors as text.
// Layering: must not be called on a thread that runs an event loop, because it blocks.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"

namespace eider {

/// errors   "cannot read x.txt: No such file or directory"; also for files above 64 MiB
[[nodiscard]] Result<std::string, std::string> read_text_file(const std::string& name);

/// Replaces the whole file: if the disk is full, the previous file stays unchanged.
///
/// name     "-" is the standard output
/// errors   "cannot write x.json: Permission denied"
[[nodiscard]] Result<void, std::string> write_text_file(const std::string& name,
                                                        std::string_view text);

/// Checks whether write_text_file can start; creates and changes nothing.
///
/// errors   as for write_text_file: its directory is missing, it is a directory itself, or a
///          permission is missing
[[nodiscard]] Result<void, std::string> check_writable(const std::string& name);

/// Writes the file unless it has this content, so that dependent files are not rebuilt.
[[nodiscard]] Result<void, std::string> write_if_new(const std::string& name,
                                                     std::string_view text);

/// A directory that is removed with its files by the destructor.
class TemporaryDirectory {
 public:
  /// prefix  of its name in `parent`, which is created if necessary
  ///
  /// errors  "cannot write in dist"
  [[nodiscard]] static Result<TemporaryDirectory, std::string> create(const std::string& parent,
                                                                      const std::string& prefix);
  TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  explicit TemporaryDirectory(std::string path) noexcept : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace eider
