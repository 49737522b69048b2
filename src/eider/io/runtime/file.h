// Whole files, read and written on the blocking pool.
// Must not serve files to clients: files/ does, in pieces and without copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"

namespace eider {

enum class FileError : std::uint8_t {
  not_found,      ///< the file, or a directory on the way to it, is not there
  not_permitted,  ///< the rights of the process or the file system forbid it
  not_a_file,     ///< a directory, a device, a pipe or a socket
  too_large,      ///< more bytes than the caller allows
  no_space,       ///< the disk or the quota is full
  too_many_open,  ///< the limit of open descriptors is reached (EMFILE, ENFILE)
  failed,         ///< anything else, the disk's own errors among them
};

/// One plain sentence without a full stop.
[[nodiscard]] std::string_view text(FileError error) noexcept;

/// errno → FileError.
[[nodiscard]] FileError file_error(int number) noexcept;

/// The whole file, which may be of any length up to `bytes_max`.
///
/// errors   see FileError; Failure(503) is thrown when the blocking pool is full
[[nodiscard]] Task<Result<std::string, FileError>> read_file(std::string path,
                                                             std::size_t bytes_max);

/// Makes the file or overwrites it. A crash may leave it half written: see `replace_file`.
[[nodiscard]] Task<Result<void, FileError>> write_file(std::string path, std::string bytes);

/// Makes the file or takes its place in one step: a reader, also after a crash, finds all
/// of the old bytes or all of the new ones. On return the new ones are on the disk. Rights and
/// owner stay, the latter as far as the process may give files away; never may more people read it.
///
/// cost     a temporary file beside it and two fsync
[[nodiscard]] Task<Result<void, FileError>> replace_file(std::string path, std::string bytes);

}  // namespace eider
