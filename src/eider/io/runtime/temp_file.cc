#include "eider/io/runtime/temp_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "eider/io/runtime/blocking.h"

namespace eider {

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

/// The state that is shared with calls on threads of the pool.
class TempFile::Open {
 public:
  Open(Descriptor fd, std::string name) noexcept : fd_(std::move(fd)), name_(std::move(name)) {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }

  [[nodiscard]] const Descriptor& descriptor() const noexcept { return fd_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Returns the path from which it can be linked.
  [[nodiscard]] std::string link_path() const {
    return name_.empty() ? "/proc/self/fd/" + std::to_string(fd()) : name_;
  }

 private:
  Descriptor fd_;
  std::string name_;  // empty if it has no name
};

namespace {

constexpr mode_t kForOwner = 0600;

std::unexpected<FileError> fail_temp_file() {
  return fail(file_error(errno));
}

/// Returns whether the file system, or the kernel, does not support files without names.
bool lacks_unnamed_files(int error) noexcept {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL;
}

Result<std::string, FileError> read_at(int fd, std::uint64_t offset, std::size_t bytes_max) {
  std::string bytes(bytes_max, '\0');
  std::size_t filled = 0;
  while (filled < bytes_max) {
    const ssize_t count =
        ::pread(fd, bytes.data() + filled, bytes_max - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno != EINTR) {
      return fail_temp_file();
    }
    if (count == 0) {
      break;
    }
    filled += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  bytes.resize(filled);
  return bytes;
}

/// The name is on the disk after an fsync of the directory.
bool sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor directory(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.is_open() && ::fsync(directory.get()) == 0;
}

Result<void, FileError> keep_blocking(int fd, const std::string& link_path,
                                      const std::string& path) {
  const bool is_kept =
      // Write the file to the disk before it gets its name, and the name before this returns.
      ::fsync(fd) == 0 &&
      ::linkat(AT_FDCWD, link_path.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 &&
      sync_directory_of(path);
  return is_kept ? Result<void, FileError>() : fail_temp_file();
}

struct Made {
  Descriptor fd;
  std::string name;
};

Result<Made, FileError> make_blocking(const std::string& directory) {
  Descriptor unnamed(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kForOwner));
  if (unnamed.is_open()) {
    return Made{std::move(unnamed), {}};
  }
  if (!lacks_unnamed_files(errno)) {
    return fail_temp_file();
  }
  std::string name = directory + "/.eider-XXXXXX";
  Descriptor named(::mkostemp(name.data(), O_CLOEXEC));
  return named.is_open() ? Result<Made, FileError>(Made{std::move(named), std::move(name)})
                         : fail_temp_file();
}

}  // namespace

Task<Result<TempFile, FileError>> TempFile::create(std::string directory) {
  // Wrap the file before it leaves the thread, so that it is removed even if the awaiter was
  // destroyed.
  auto open = co_await run_blocking(
      [directory = std::move(directory)]() -> Result<std::shared_ptr<Open>, FileError> {
        auto made = make_blocking(directory);
        if (!made) {
          return fail(made.error());
        }
        return std::make_shared<Open>(std::move(made->fd), std::move(made->name));
      });
  if (!open) {
    co_return fail(open.error());
  }
  co_return TempFile(std::move(*open));
}

Task<Result<void, FileError>> TempFile::append(std::string bytes) {
  // Increase the size before the wait, so that `read` and the next call count these bytes.
  const std::uint64_t offset = size_;
  size_ += bytes.size();
  // The call shares the file, because it continues if the awaiting task is destroyed.
  co_return co_await run_blocking([open = open_, bytes = std::move(bytes), offset] {
    return detail::runtime::write_all_at(open->fd(), bytes, offset) ? Result<void, FileError>()
                                                                    : fail_temp_file();
  });
}

Task<Result<std::string, FileError>> TempFile::read(std::uint64_t offset,
                                                    std::size_t bytes_max) const {
  const std::uint64_t left = size_ - std::min(size_, offset);
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(bytes_max, left));
  co_return co_await run_blocking(
      [open = open_, offset, bytes] { return read_at(open->fd(), offset, bytes); });
}

Task<Result<void, FileError>> TempFile::keep(std::string path) {
  co_return co_await run_blocking([open = open_, path = std::move(path)] {
    return keep_blocking(open->fd(), open->link_path(), path);
  });
}

std::shared_ptr<const Descriptor> TempFile::descriptor() const noexcept {
  return {open_, &open_->descriptor()};
}

}  // namespace eider
