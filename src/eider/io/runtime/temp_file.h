// A temporary file that is deleted with its owner, unless it is kept under a name.
// Layering: must not block a loop: every system call on the disk runs on the blocking pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/task.h"

namespace eider {

enum class FileError : std::uint8_t {
  not_found,      ///< the file, or a directory of its path, does not exist
  not_permitted,  ///< permissions or the file system forbid it
  not_a_file,     ///< a directory, a device, a pipe or a socket
  too_large,      ///< larger than the file system or a limit of the process allows
  no_space,       ///< the disk or the quota is full
  too_many_open,  ///< the limit of open files is reached (EMFILE, ENFILE)
  failed,         ///< any other error, such as of the disk
};

/// Returns a sentence without a period.
[[nodiscard]] std::string_view text(FileError error) noexcept;

/// Converts errno to a FileError.
[[nodiscard]] FileError file_error(int number) noexcept;

/// A temporary file. It has no name if the file system supports that (O_TMPFILE), so that it is
/// gone even if the process is killed. Otherwise it is named ".eider-…" until it is destroyed.
///
/// Only one call may be awaited at a time. A cancelled call continues on its thread; the file lives
/// until the call has ended. All calls throw Failure(503) if the blocking pool is full.
class TempFile {
 public:
  /// Creates the file.
  ///
  /// directory  on the file system on which the file may be kept
  /// errors     see FileError
  [[nodiscard]] static Task<Result<TempFile, FileError>> create(std::string directory);

  TempFile(TempFile&&) noexcept = default;
  TempFile& operator=(TempFile&&) noexcept = default;

  /// Appends bytes. After an error, the file may have some of the bytes.
  [[nodiscard]] Task<Result<void, FileError>> append(std::string bytes);
  /// Reads at most `bytes_max` bytes from `offset`; fewer only at the end.
  [[nodiscard]] Task<Result<std::string, FileError>> read(std::uint64_t offset,
                                                          std::size_t bytes_max) const;
  /// Keeps the file under that name, readable only by its owner (0600). On return it is on the
  /// disk, and remains when this object is destroyed.
  ///
  /// errors  `failed` also if there is a file with that name, which is not changed
  [[nodiscard]] Task<Result<void, FileError>> keep(std::string path);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Returns the descriptor, open for reading and writing, such as for sending the file.
  [[nodiscard]] std::shared_ptr<const Descriptor> descriptor() const noexcept;

 private:
  class Open;
  explicit TempFile(std::shared_ptr<Open> open) noexcept : open_(std::move(open)) {}

  std::shared_ptr<Open> open_;
  std::uint64_t size_ = 0;
};

}  // namespace eider
