// Reads and writes whole files on the blocking pool.
// Layering: must not serve files to clients: files/ does, in pieces and without copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"

namespace eider {

enum class FileError : std::uint8_t {
  not_found,      ///< the file, or a directory of its path, does not exist
  not_permitted,  ///< permissions or the file system forbid it
  not_a_file,     ///< a directory, a device, a pipe or a socket
  too_large,      ///< more bytes than the caller allows
  no_space,       ///< the disk or the quota is full
  too_many_open,  ///< the limit of open files is reached (EMFILE, ENFILE)
  failed,         ///< any other error, such as of the disk
};

/// Returns a sentence without a period.
[[nodiscard]] std::string_view text(FileError error) noexcept;

/// Converts errno to a FileError.
[[nodiscard]] FileError file_error(int number) noexcept;

/// Reads the whole file, of at most `bytes_max` bytes.
///
/// errors   see FileError; throws Failure(503) if the blocking pool is full
[[nodiscard]] Task<Result<std::string, FileError>> read_file(std::string path,
                                                             std::size_t bytes_max);

/// Creates or overwrites the file. A crash may leave it incomplete: see `replace_file`.
[[nodiscard]] Task<Result<void, FileError>> write_file(std::string path, std::string bytes);

/// Creates or replaces the file atomically: a reader, also after a crash, finds either all of the
/// old bytes or all of the new ones. On return the new ones are on the disk. Permissions and owner
/// are kept, the owner if the process may set it; the file never becomes readable for more users.
///
/// cost     a temporary file in the same directory and two fsync
[[nodiscard]] Task<Result<void, FileError>> replace_file(std::string path, std::string bytes);

}  // namespace eider
