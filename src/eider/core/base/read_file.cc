#include "eider/core/base/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

namespace eider::detail::base {

namespace {

/// Time limit for a pipe whose writer is silent or missing, so that the program can be stopped.
constexpr int kPipePatienceMs = 10'000;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) noexcept
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat about{};
    may_lack_writer_ = fd_ >= 0 && ::fstat(fd_, &about) == 0 && S_ISFIFO(about.st_mode);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }

  /// returns  as read(2), with ETIMEDOUT for a pipe that stays silent
  ssize_t read(std::span<char> into) noexcept {
    while (true) {
      const ssize_t bytes = ::read(fd_, into.data(), into.size());
      may_lack_writer_ = may_lack_writer_ && bytes <= 0;
      if (bytes > 0 || (bytes == 0 && !may_lack_writer_) ||
          (bytes < 0 && errno != EAGAIN && errno != EINTR)) {
        return bytes;
      }
      pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&waiting, 1, kPipePatienceMs);
      if (ready == 0) {
        errno = ETIMEDOUT;
        return -1;
      }
      may_lack_writer_ = may_lack_writer_ && ready < 0;
    }
  }

  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
  /// Until a writer opens a named pipe, read() returns 0, as at the end; poll() waits.
  bool may_lack_writer_ = false;
};

}  // namespace

Result<std::string, int> read_file(const std::string& path, std::size_t bytes_max) {
  OpenFile file(path);
  if (!file.is_open()) {
    return fail(int{errno});
  }
  // Read in pieces: a buffer of the maximum size would stay with a process that reads small files.
  std::array<char, 16384> piece;
  std::string text;
  while (text.size() < bytes_max) {
    const ssize_t bytes =
        file.read(std::span(piece).first(std::min(piece.size(), bytes_max - text.size())));
    if (bytes < 0) {
      return fail(int{errno});
    }
    if (bytes == 0) {
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(bytes));
  }
  return text;
}

}  // namespace eider::detail::base
