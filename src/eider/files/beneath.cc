#include "eider/files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace eider {
namespace {

constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

#ifndef RESOLVE_CACHED
constexpr std::uint64_t kResolveCached = 0x20;  // Linux 5.12
#else
constexpr std::uint64_t kResolveCached = RESOLVE_CACHED;
#endif

Opened from_call(long result) noexcept {
  return result < 0 ? Opened{Descriptor(), errno} : Opened{Descriptor(static_cast<int>(result)), 0};
}

Opened call_openat2(int root, const char* path, std::uint64_t resolve) noexcept {
  open_how how{};
  how.flags = kFlags;
  how.resolve = resolve;
  return from_call(syscall(SYS_openat2, root, path, &how, sizeof how));
}

bool lacks_openat2(int error) noexcept {
  // EPERM: a filter that does not know the call; EINVAL: a kernel that does not know a flag.
  return error == ENOSYS || error == EPERM || error == EINVAL;
}

}  // namespace

Opened open_beneath(int root, const std::string& path, Lookups lookups) {
  constexpr std::uint64_t kBeneath = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (lookups == Lookups::cached_only) {
    Opened opened = call_openat2(root, path.c_str(), kBeneath | kResolveCached);
    if (lacks_openat2(opened.error)) {
      opened.error = EAGAIN;
    }
    return opened;
  }
  // The kernel asks for another try when something was renamed while it looked.
  constexpr int kTries = 8;
  Opened opened;
  for (int i = 0; i < kTries; ++i) {
    opened = call_openat2(root, path.c_str(), kBeneath);
    if (opened.error != EAGAIN) {
      break;
    }
  }
  return lacks_openat2(opened.error) ? open_by_segments(root, path) : std::move(opened);
}

Opened open_by_segments(int root, std::string_view path) {
  Descriptor directory;
  int at = root;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string segment(path.substr(0, slash));
    if (segment == "..") {
      return {Descriptor(), EXDEV};
    }
    const bool is_last = slash == std::string_view::npos;
    const int flags = kFlags | O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY);
    Opened opened = from_call(openat(at, segment.empty() ? "." : segment.c_str(), flags));
    if (is_last || opened.error != 0) {
      return opened;
    }
    directory = std::move(opened.file);
    at = directory.get();
    path.remove_prefix(slash + 1);
  }
}

}  // namespace eider
