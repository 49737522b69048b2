#include "eider/io/runtime/descriptor.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace eider {

void Descriptor::close() noexcept {
  if (fd_ >= 0) {
    // The kernel releases the number even if it returns an error, so a second call could close
    // another file.
    ::close(release());
  }
}

bool detail::runtime::write_all(int fd, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

bool detail::runtime::write_all_at(int fd, std::string_view bytes, std::uint64_t offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno != EINTR) {
      return false;
    }
    const std::size_t written = count > 0 ? static_cast<std::size_t>(count) : 0;
    bytes.remove_prefix(written);
    offset += written;
  }
  return true;
}

}  // namespace eider
