#include "eider/server/process/pid_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "eider/core/base/log.h"

namespace eider::detail::server {

namespace {

/// Creates a new file. Symbolic and hard links that other users have created, for example in /tmp,
/// are neither followed nor kept.
Descriptor open_fresh(const std::string& path) {
  ::unlink(path.c_str());
  return Descriptor(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
}

std::string fresh_path(const std::string& path) {
  return path + "." + std::to_string(::getpid());
}

/// Opens a file that this user owns, if it has only this one name.
Descriptor open_own(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  const bool is_own = file.is_open() && ::fstat(file.get(), &found) == 0 &&
                      S_ISREG(found.st_mode) && found.st_uid == ::geteuid() && found.st_nlink == 1;
  return is_own ? std::move(file) : Descriptor();
}

bool is_at(int fd, const std::string& path) noexcept {
  struct stat open{};
  struct stat named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Writes the line in one call. If the old content is longer, its rest is overwritten with line
/// breaks, which readers ignore.
bool fill_file(int fd, std::string_view line) {
  struct stat found{};
  if (::fstat(fd, &found) != 0) {
    return false;
  }
  constexpr std::size_t kBytesMax = 32;
  const auto length = std::min<std::size_t>(static_cast<std::size_t>(found.st_size), kBytesMax);
  std::string all(line);
  all.resize(std::max(all.size(), length), '\n');
  return ::pwrite(fd, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()) &&
         ::ftruncate(fd, static_cast<off_t>(line.size())) == 0;
}

}  // namespace

void PidFile::prepare(const std::string& path, const std::optional<ServingUser>& user) {
  if (path.empty()) {
    return;
  }
  const std::string fresh = fresh_path(path);
  const Descriptor file = open_fresh(fresh);
  const bool is_owned =
      file.is_open() && (!user || ::fchown(file.get(), user->user, user->group) == 0);
  if (!is_owned || std::rename(fresh.c_str(), path.c_str()) != 0) {
    ::unlink(fresh.c_str());
  }
}

bool PidFile::write(const std::string& path, LogSink* log) {
  if (path.empty()) {
    return true;
  }
  const std::string line = std::to_string(::getpid()) + "\n";
  if (!replace(path, line) && !overwrite(path, line)) {
    if (log != nullptr) {
      log->write(LogLevel::error,
                 "--pid-file: cannot write " + path + ", which scripts and `eider upgrade` read");
    }
    return false;
  }
  path_ = path;
  return true;
}

bool PidFile::replace(const std::string& path, std::string_view line) {
  const std::string fresh = fresh_path(path);
  file_ = open_fresh(fresh);
  if (!file_.is_open()) {
    return false;
  }
  if (!fill_file(file_.get(), line) || std::rename(fresh.c_str(), path.c_str()) != 0) {
    ::unlink(fresh.c_str());
    return false;
  }
  return true;
}

/// The user may not write to the directory, but to the file: see `prepare`.
bool PidFile::overwrite(const std::string& path, std::string_view line) {
  file_ = open_own(path);
  return file_.is_open() && fill_file(file_.get(), line);
}

void PidFile::remove() noexcept {
  if (!path_.empty() && is_at(file_.get(), path_) && ::unlink(path_.c_str()) != 0) {
    [[maybe_unused]] const int status = ::ftruncate(file_.get(), 0);
  }
  path_.clear();
}

}  // namespace eider::detail::server
