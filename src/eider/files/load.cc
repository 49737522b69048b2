#include "eider/files/load.h"

#include <sys/stat.h>
#include <sys/uio.h>

#include <cerrno>

namespace eider {
namespace {

using Kind = LoadedFile::Kind;

/// What is copied on the loop's own thread at most: some ten microseconds.
constexpr std::size_t kCachedBytesMax = std::size_t{64} << 10U;

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

LoadedFile failed(int error) {
  return {.kind = kind_of_error(error), .error = error};
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

LoadedFile read_file(int fd, std::size_t size, Lookups lookups) {
  if (lookups == Lookups::cached_only && size > kCachedBytesMax) {
    return {.kind = Kind::would_block};
  }
  LoadedFile loaded{.kind = Kind::file};
  loaded.bytes.resize(size);
  const int error = read_all(fd, loaded.bytes, lookups == Lookups::cached_only ? RWF_NOWAIT : 0);
  if (error == 0) {
    return loaded;
  }
  // Some file systems cannot say whether they would have to wait.
  return lookups == Lookups::cached_only ? LoadedFile{.kind = Kind::would_block} : failed(error);
}

}  // namespace

LoadedFile load_file(int root, const FileWish& wish, Lookups lookups) {
  const Opened opened = open_beneath(root, wish.path, lookups);
  struct stat about{};
  if (opened.error != 0 || fstat(opened.file.get(), &about) != 0) {
    return failed(opened.error != 0 ? opened.error : errno);
  }
  if (S_ISDIR(about.st_mode)) {
    return {.kind = Kind::directory};
  }
  if (!S_ISREG(about.st_mode)) {
    return {.kind = Kind::absent};
  }
  const auto size = static_cast<std::size_t>(about.st_size);
  const std::int64_t modified = about.st_mtim.tv_sec;
  if (wish.unless_after && modified <= *wish.unless_after) {
    return {.kind = Kind::unchanged, .modified_seconds = modified};
  }
  if (size > wish.bytes_max) {
    return {.kind = Kind::too_large};
  }
  LoadedFile loaded = read_file(opened.file.get(), size, lookups);
  loaded.modified_seconds = modified;
  return loaded;
}

}  // namespace eider
