#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "eider/core/base/text.h"
#include "eider/web/files/beneath.h"

namespace eider::detail::files {
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
  // EPERM: a seccomp filter that does not know the call; EINVAL: a kernel that does not know a
  // flag.
  return error == ENOSYS || error == EPERM || error == EINVAL;
}

std::uint64_t resolve_flags(Symlinks symlinks) noexcept {
  switch (symlinks) {
    case Symlinks::none:
      return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
    case Symlinks::beneath:
      return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    case Symlinks::follow:
      return RESOLVE_NO_MAGICLINKS;
  }
  return RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
}

/// Returns whether the path itself leaves the directory. Depending on the policy, links may leave
/// it, but the path never may.
bool leads_out(std::string_view path) noexcept {
  if (path.starts_with('/')) {
    return true;
  }
  while (!path.empty()) {
    if (take_until(path, "/") == "..") {
      return true;
    }
  }
  return false;
}

Opened open_cached(int root, const char* path, std::uint64_t resolve) {
  Opened opened = call_openat2(root, path, resolve | kResolveCached);
  // A kernel without the call counts as one with an empty cache: the pool tries again.
  if (lacks_openat2(opened.error)) {
    opened.error = EAGAIN;
  }
  return opened;
}

/// The kernel returns EAGAIN if something was renamed during the lookup.
Opened open_waiting(int root, const char* path, std::uint64_t resolve) {
  constexpr int kTries = 8;
  Opened opened;
  for (int i = 0; i < kTries; ++i) {
    opened = call_openat2(root, path, resolve);
    if (opened.error != EAGAIN) {
      break;
    }
  }
  return opened;
}

Opened open_one(int at, std::string_view segment, int flags) {
  const std::string name(segment.empty() ? std::string_view(".") : segment);
  return from_call(openat(at, name.c_str(), kFlags | flags));
}

}  // namespace

Opened open_beneath(int root, const std::string& path, Symlinks symlinks, Lookups lookups) {
  // The kernel follows links out of the directory here, so the path itself is checked first.
  if (symlinks == Symlinks::follow && leads_out(path)) {
    return {Descriptor(), EXDEV};
  }
  const char* const name = path.empty() ? "." : path.c_str();
  const std::uint64_t resolve = resolve_flags(symlinks);
  if (lookups == Lookups::cached_only) {
    return open_cached(root, name, resolve);
  }
  Opened opened = open_waiting(root, name, resolve);
  return lacks_openat2(opened.error) ? open_by_segments(root, path, symlinks) : std::move(opened);
}

Opened open_by_segments(int root, std::string_view path, Symlinks symlinks) {
  if (leads_out(path)) {
    return {Descriptor(), EXDEV};
  }
  if (symlinks == Symlinks::follow) {
    return open_one(root, path, 0);
  }
  Descriptor directory;
  int at = root;
  while (true) {
    const std::size_t slash = path.find('/');
    const bool is_last = slash == std::string_view::npos;
    // Each directory is opened on its own and no link is followed, so that no part of the path can
    // be replaced during the lookup.
    Opened opened = open_one(at, path.substr(0, slash), O_NOFOLLOW | (is_last ? 0 : O_DIRECTORY));
    if (is_last || opened.error != 0) {
      return opened;
    }
    // The previous directory is closed at the end of this iteration.
    directory = std::move(opened.file);
    at = directory.get();
    path.remove_prefix(slash + 1);
  }
}

}  // namespace eider::detail::files
