#include "eider/web/files/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace eider::detail::files {
namespace {

using Kind = FindFile::Kind;

constexpr std::int64_t kNanoseconds = 1'000'000'000;
/// File systems count in ticks of some milliseconds; the clock here, in seconds.
constexpr std::int64_t kYoungSeconds = 2;
/// What is read ahead of a large file that is not in the kernel's cache.
constexpr std::size_t kReadAheadBytes = std::size_t{2} << 20U;

Kind kind_of_error(int error) noexcept {
  switch (error) {
    case EAGAIN:
      return Kind::would_block;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO:
      return Kind::failed;
    default:
      return Kind::absent;
  }
}

std::int64_t to_ns(const timespec& time) noexcept {
  return time.tv_sec * kNanoseconds + time.tv_nsec;
}

FileState state_of(const struct stat& about) noexcept {
  return {.version = {.inode = about.st_ino,
                      .size = static_cast<std::uint64_t>(about.st_size),
                      .modified_ns = to_ns(about.st_mtim)},
          .device = about.st_dev,
          .touched_ns = to_ns(about.st_ctim)};
}

/// Reads to the end of the file or of `bytes`, which is cut to what there was.
/// Returns an errno, or 0.
int read_all(int fd, std::string& bytes, int flags) {
  std::size_t size = 0;
  while (size < bytes.size()) {
    iovec piece{bytes.data() + size, bytes.size() - size};
    const ssize_t count = preadv2(fd, &piece, 1, static_cast<off_t>(size), flags);
    if (count < 0 && errno != EINTR) {
      return errno;
    }
    if (count == 0) {
      break;  // somebody has cut it meanwhile
    }
    size += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  bytes.resize(size);
  return 0;
}

/// Whether the file is still what it was when its reading began.
bool is_still(int fd, const FileState& state) noexcept {
  struct stat about{};
  return fstat(fd, &about) == 0 && state_of(about) == state;
}

Kind read_small(int fd, StoredFile& file, Lookups lookups) {
  file.bytes.resize(file.state.version.size);
  const int error = read_all(fd, file.bytes, lookups == Lookups::cached_only ? RWF_NOWAIT : 0);
  if (error != 0) {
    // Some file systems cannot say whether they would have to wait.
    return lookups == Lookups::cached_only ? Kind::would_block : kind_of_error(error);
  }
  // A change while it was read may leave bytes of both versions.
  file.is_young = file.is_young || !is_still(fd, file.state);
  return Kind::file;
}

/// Its first bytes are in the kernel's cache, or on their way into it.
Kind open_large(Descriptor opened, StoredFile& file, Lookups lookups) {
  char byte = 0;
  iovec piece{&byte, 1};
  if (lookups == Lookups::any) {
    readahead(opened.get(), 0, kReadAheadBytes);
  } else if (preadv2(opened.get(), &piece, 1, 0, RWF_NOWAIT) < 0) {
    // One byte tells whether the kernel has it: `sendfile` cannot be told not to wait.
    return Kind::would_block;
  }
  file.file = std::make_shared<const Descriptor>(std::move(opened));
  return Kind::file;
}

FindFile store(Descriptor opened, const FileState& state, const FileWish& wish, Lookups lookups) {
  auto file = std::make_shared<StoredFile>();
  file->state = state;
  file->is_young = state.version.modified_ns / kNanoseconds > wish.now_seconds - kYoungSeconds;
  const Kind kind = state.version.size <= wish.small_bytes_max
                        ? read_small(opened.get(), *file, lookups)
                        : open_large(std::move(opened), *file, lookups);
  return kind == Kind::file ? FindFile{kind, std::move(file)} : FindFile{kind};
}

}  // namespace

FindFile find_file(int root, const FileWish& wish, Lookups lookups) {
  Opened opened = open_beneath(root, wish.path, wish.symlinks, lookups);
  struct stat about{};
  // What was opened is looked at, not the path: nobody can exchange it in between.
  if (opened.error != 0 || fstat(opened.file.get(), &about) != 0) {
    return {kind_of_error(opened.error != 0 ? opened.error : errno)};
  }
  if (!S_ISREG(about.st_mode)) {
    return {S_ISDIR(about.st_mode) ? Kind::directory : Kind::absent};
  }
  const FileState state = state_of(about);
  if (wish.known != nullptr && wish.known->state == state) {
    return {Kind::file, wish.known};
  }
  return store(std::move(opened.file), state, wish, lookups);
}

}  // namespace eider::detail::files
