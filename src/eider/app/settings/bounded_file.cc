#include "eider/app/settings/bounded_file.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <system_error>

#include "eider/core/base/utf8.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::detail::app {

namespace {

/// Time limit for a pipe whose writer is silent, so that the program can be stopped.
constexpr int kPipePatienceMs = 10'000;

/// returns  as read(2), with ETIMEDOUT for a pipe that stays silent
ssize_t read_some(int fd, std::span<char> into) noexcept {
  while (true) {
    const ssize_t bytes = ::read(fd, into.data(), into.size());
    if (bytes >= 0 || (errno != EAGAIN && errno != EINTR)) {
      return bytes;
    }
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPipePatienceMs) == 0) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
}

}  // namespace

Result<std::string, std::string> read_bounded_file(const std::string& path, std::size_t bytes_max) {
  const auto refuse = [&path](const std::string& why) {
    return fail("names '" + path + "', which " + why);
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  std::array<char, 16384> some{};
  ssize_t bytes = file.is_open() ? 1 : -1;
  while (bytes > 0 && text.size() <= bytes_max) {
    bytes = read_some(file.get(), some);
    text.append(some.data(), bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  }
  if (bytes < 0) {
    return refuse("cannot be read: " + std::generic_category().message(errno));
  }
  if (text.size() > bytes_max) {
    return refuse("is larger than " + std::to_string(bytes_max / 1024) + " KiB");
  }
  if (is_utf16(text)) {
    return refuse("is UTF-16 text. Save it as UTF-8");
  }
  text.erase(0, text.size() - without_bom(text).size());
  return text;
}

}  // namespace eider::detail::app
