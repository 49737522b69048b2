#include "eider/io/runtime/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/descriptor.h"

namespace eider {
namespace {

constexpr mode_t kNewFileMode = 0666;  // minus the process's umask
constexpr mode_t kOwnerOnly = 0600;

std::unexpected<FileError> fail_by_errno() {
  return fail(file_error(errno));
}

// Non-blocking, so that opening a pipe does not wait for its other end.
Descriptor open_file(const std::string& path, int flags, mode_t mode = kNewFileMode) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, mode));
}

Result<std::size_t, FileError> size_of_regular(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) {
    return fail_by_errno();
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(FileError::not_a_file);
  }
  return static_cast<std::size_t>(status.st_size);
}

// The size is a hint: the file may grow or shrink meanwhile, and in /proc it is 0.
Result<std::string, FileError> read_all(int fd, std::size_t size_hint, std::size_t bytes_max) {
  std::string bytes;
  std::size_t filled = 0;
  // One byte more than the hint detects the end without growing the buffer again.
  bytes.resize(std::min(size_hint, bytes_max) + 1);
  while (true) {
    const ssize_t count = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno != EINTR) {
      return fail_by_errno();
    }
    if (count == 0) {
      bytes.resize(filled);
      return bytes;
    }
    filled += count > 0 ? static_cast<std::size_t>(count) : 0;
    if (filled > bytes_max) {
      return fail(FileError::too_large);
    }
    if (filled == bytes.size()) {
      bytes.resize(std::min(2 * filled, bytes_max) + 1);
    }
  }
}

Result<std::string, FileError> read_blocking(const std::string& path, std::size_t bytes_max) {
  const Descriptor fd = open_file(path, O_RDONLY);
  if (!fd.is_open()) {
    return fail_by_errno();
  }
  const auto size = size_of_regular(fd.get());
  if (!size) {
    return fail(size.error());
  }
  return *size > bytes_max ? fail(FileError::too_large) : read_all(fd.get(), *size, bytes_max);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

Result<void, FileError> write_blocking(const std::string& path, std::string_view bytes) {
  const Descriptor fd = open_file(path, O_WRONLY | O_CREAT);
  if (!fd.is_open()) {
    return fail_by_errno();
  }
  // Truncate only after checking that it is a regular file; O_TRUNC would be too early.
  if (const auto size = size_of_regular(fd.get()); !size) {
    return fail(size.error());
  }
  if (::ftruncate(fd.get(), 0) != 0 || !write_all(fd.get(), bytes)) {
    return fail_by_errno();
  }
  return {};
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : path.substr(0, slash);
}

// A new file next to `path`, whose name neither another writer nor an earlier crash has used.
Descriptor make_temporary(std::string& name, const std::string& path, mode_t mode) {
  static std::atomic<unsigned> count{0};
  Descriptor fd;
  do {
    name = path + ".new." + std::to_string(::getpid()) + "." + std::to_string(++count);
    fd = open_file(name, O_WRONLY | O_CREAT | O_EXCL, mode);
  } while (!fd.is_open() && errno == EEXIST);
  return fd;
}

// Copies the owner and permissions of a replaced file, as far as this process may. The owner comes
// first, because chown removes set-user-ID, and permissions for one group must not apply to
// another.
bool take_rights_of(const struct stat& old, int fd) {
  constexpr mode_t kNotAsOwner = S_ISUID;
  constexpr mode_t kNotAsGroup = S_ISUID | S_ISGID | S_IRWXG;
  mode_t lost = 0;
  if (::fchown(fd, old.st_uid, old.st_gid) != 0) {
    const bool has_group = ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
    lost = has_group ? kNotAsOwner : kNotAsGroup;
  }
  return ::fchmod(fd, old.st_mode & 07777U & ~lost) == 0;
}

// If the old file is readable only by its owner, the new one must be so before its first byte.
Descriptor make_successor(std::string& name, const std::string& path) {
  struct stat old{};
  if (::stat(path.c_str(), &old) != 0) {
    return make_temporary(name, path, kNewFileMode);
  }
  Descriptor fd = make_temporary(name, path, kOwnerOnly);
  if (fd.is_open() && !take_rights_of(old, fd.get())) {
    const int error = errno;
    ::unlink(name.c_str());
    fd.close();
    errno = error;
  }
  return fd;
}

// The directory entry is on the disk after an fsync of the directory.
bool sync_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.is_open() && ::fsync(directory.get()) == 0;
}

Result<void, FileError> replace_blocking(const std::string& path, std::string_view bytes) {
  std::string temporary;
  const Descriptor fd = make_successor(temporary, path);
  if (!fd.is_open()) {
    return fail_by_errno();
  }
  // Write the bytes to the disk before the rename: a crash in between leaves the old file.
  const bool is_replaced = write_all(fd.get(), bytes) && ::fsync(fd.get()) == 0 &&
                           ::rename(temporary.c_str(), path.c_str()) == 0;
  if (!is_replaced) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return fail(file_error(error));
  }
  if (!sync_directory(directory_of(path))) {
    return fail_by_errno();
  }
  return {};
}

}  // namespace

std::string_view text(FileError error) noexcept {
  switch (error) {
    case FileError::not_found:
      return "the file does not exist";
    case FileError::not_permitted:
      return "permission to open the file is denied";
    case FileError::not_a_file:
      return "the path is not a regular file";
    case FileError::too_large:
      return "the file is larger than allowed";
    case FileError::no_space:
      return "no space is left on the device";
    case FileError::too_many_open:
      return "too many files are open";
    case FileError::failed:
      return "the file could not be read or written";
  }
  return "";
}

FileError file_error(int number) noexcept {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return FileError::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return FileError::not_permitted;
    case EISDIR:
    case ENXIO:
      return FileError::not_a_file;
    case EFBIG:
      return FileError::too_large;
    case ENOSPC:
    case EDQUOT:
      return FileError::no_space;
    case EMFILE:
    case ENFILE:
      return FileError::too_many_open;
    default:
      return FileError::failed;
  }
}

Task<Result<std::string, FileError>> read_file(std::string path, std::size_t bytes_max) {
  auto work =
      run_blocking([path = std::move(path), bytes_max] { return read_blocking(path, bytes_max); });
  co_return co_await work;
}

Task<Result<void, FileError>> write_file(std::string path, std::string bytes) {
  auto work = run_blocking(
      [path = std::move(path), bytes = std::move(bytes)] { return write_blocking(path, bytes); });
  co_return co_await work;
}

Task<Result<void, FileError>> replace_file(std::string path, std::string bytes) {
  auto work = run_blocking(
      [path = std::move(path), bytes = std::move(bytes)] { return replace_blocking(path, bytes); });
  co_return co_await work;
}

}  // namespace eider
