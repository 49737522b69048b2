// A file that is gone with its owner, whatever happens, unless it is kept under a name.
// Must not block a loop: every system call on the disk runs on the blocking pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/file.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// Has no name where the file system can do without (O_TMPFILE), so that nothing of it is left even
/// when the process is killed. Elsewhere it is named ".eider-…" until it is destroyed.
///
/// One call is awaited at a time. A call that is cancelled goes on by itself on its thread; the
/// file lives until that has ended. All of them throw Failure(503) when the blocking pool is full.
class TempFile {
 public:
  /// directory  on the file system that the file may later be kept on
  /// errors     see FileError
  [[nodiscard]] static Task<Result<TempFile, FileError>> create(std::string directory);

  TempFile(TempFile&&) noexcept = default;
  TempFile& operator=(TempFile&&) noexcept = default;

  /// Adds to its end. After an error the file has some of the bytes or none.
  [[nodiscard]] Task<Result<void, FileError>> append(std::string bytes);
  /// At most `bytes_max` from `offset`; fewer only at the end.
  [[nodiscard]] Task<Result<std::string, FileError>> read(std::uint64_t offset,
                                                          std::size_t bytes_max) const;
  /// Gives it that name, with rights for its owner only (0600). On return it is on the disk, and
  /// stays when this is destroyed.
  ///
  /// errors  exists is not told apart: `failed` when something has that name, and it stays as it is
  [[nodiscard]] Task<Result<void, FileError>> keep(std::string path);

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Open for reading and writing, e.g. to be sent.
  [[nodiscard]] std::shared_ptr<const Descriptor> descriptor() const noexcept;

 private:
  class Open;
  explicit TempFile(std::shared_ptr<Open> open) noexcept : open_(std::move(open)) {}

  std::shared_ptr<Open> open_;
  std::uint64_t size_ = 0;
};

}  // namespace eider
