#include "eider/ops/telemetry/log_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "eider/core/base/describes_only.h"

namespace eider::detail::telemetry {

namespace {

/// A pipe that is ready accepts this many bytes without blocking (pipe(7), PIPE_BUF).
constexpr std::size_t kPipeBytes = 4096;
constexpr std::size_t kFileBytes = std::size_t{64} * 1024;
constexpr Duration kPause = std::chrono::milliseconds(100);

/// Returns the complete lines that fit into `bytes`, or one line that does not.
std::string_view next_piece(std::string_view lines, std::size_t bytes) noexcept {
  if (lines.size() <= bytes) {
    return lines;
  }
  const std::size_t end = lines.rfind('\n', bytes - 1);
  return lines.substr(0, end == std::string_view::npos ? bytes : end + 1);
}

}  // namespace

LogOutput::LogOutput(int fd) noexcept : fd_(fd) {
  struct stat is{};
  may_block_ = ::fstat(fd, &is) != 0 || !S_ISREG(is.st_mode);
}

Result<LogOutput> LogOutput::open(std::string file, std::uint64_t file_bytes_max,
                                  unsigned files_max) {
  if (base::DescribesOnly::is_on()) {
    return LogOutput(STDERR_FILENO);
  }
  LogOutput output(-1);
  output.file_ = std::move(file);
  output.file_bytes_max_ = file_bytes_max;
  output.files_max_ = std::max(files_max, 1U);
  if (!output.open_file()) {
    return fail(
        Error::internal("Cannot open the log file " + output.file_ + ": " + std::strerror(errno)));
  }
  return output;
}

bool LogOutput::is_terminal() const noexcept {
  return ::isatty(fd_) == 1;
}

/// If it fails, the current file stays open.
bool LogOutput::open_file() {
  constexpr mode_t kRights = 0640;
  Descriptor opened(
      ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, kRights));
  struct stat is{};
  if (!opened.is_open() || ::fstat(opened.get(), &is) != 0) {
    return false;
  }
  own_ = std::move(opened);
  fd_ = own_.get();
  may_block_ = !S_ISREG(is.st_mode);
  rotates_at_ = file_bytes_max_;
  return true;
}

bool LogOutput::is_of_its_name() const noexcept {
  struct stat ours{};
  struct stat named{};
  return ::fstat(fd_, &ours) == 0 && ::stat(file_.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/// Reopens the file if logrotate has moved it, or it was removed, so that lines go to the file with
/// the name.
void LogOutput::follow_file() {
  const std::int64_t now = std::time(nullptr);
  if (!file_.empty() && now != std::exchange(looked_at_, now) && !is_of_its_name()) {
    (void)open_file();
  }
}

/// Read from the file system, because other workers and an upgraded program write to the file, too.
std::uint64_t LogOutput::file_bytes() const noexcept {
  struct stat ours{};
  return ::fstat(fd_, &ours) == 0 ? static_cast<std::uint64_t>(ours.st_size) : 0;
}

bool LogOutput::move_files() const {
  for (unsigned number = files_max_; number > 1; --number) {
    const std::string from = file_ + "." + std::to_string(number - 1);
    (void)std::rename(from.c_str(), (file_ + "." + std::to_string(number)).c_str());
  }
  return std::rename(file_.c_str(), (file_ + ".1").c_str()) == 0;
}

/// Rotates the files. Only one of several processes does so, using a lock on the file with that
/// name: a file that another process has just started must not be rotated again. A process that
/// finds it locked does not wait, and tries again with its next lines.
void LogOutput::rotate() {
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return;
  }
  if (!is_of_its_name() || move_files()) {
    (void)open_file();
  } else {
    rotates_at_ = file_bytes() + file_bytes_max_;  // not permitted: the file grows further
  }
  // A file that stays open would keep its lock, and no other process could rotate it.
  (void)::flock(fd_, LOCK_UN);
}

bool LogOutput::write(std::string_view lines, const Patience& gives_up) {
  follow_file();
  while (!lines.empty()) {
    const std::string_view piece = next_piece(lines, may_block_ ? kPipeBytes : kFileBytes);
    if (file_bytes_max_ != 0 && !may_block_) {
      const std::uint64_t bytes = file_bytes();
      if (bytes != 0 && bytes + piece.size() > rotates_at_) {
        rotate();
      }
    }
    if (!write_piece(piece, gives_up)) {
      return false;
    }
    lines.remove_prefix(piece.size());
  }
  return true;
}

bool LogOutput::is_ready() const noexcept {
  pollfd waited{.fd = fd_, .events = POLLOUT, .revents = 0};
  return ::poll(&waited, 1, static_cast<int>(kPause.count() / 1'000'000)) == 1;
}

bool LogOutput::write_piece(std::string_view piece, const Patience& gives_up) {
  while (!piece.empty()) {
    if (may_block_ && !is_ready()) {
      if (gives_up(Duration::zero())) {
        return false;
      }
      follow_file();
      continue;
    }
    const ssize_t written = ::write(fd_, piece.data(), piece.size());
    if (written > 0) {
      piece.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE || errno == EBADF) {
      return false;
    } else if (errno != EINTR) {  // ENOSPC, EDQUOT, EIO: until it is fixed
      if (gives_up(kPause)) {
        return false;
      }
      follow_file();  // a removed file occupies the disk as long as it is open
    }
  }
  return true;
}

}  // namespace eider::detail::telemetry
