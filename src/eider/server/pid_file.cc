#include "eider/server/pid_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "eider/runtime/descriptor.h"

namespace eider::detail::server {

bool PidFile::write(const std::string& path) {
  if (path.empty()) {
    return true;
  }
  const std::string number = std::to_string(::getpid());
  const std::string fresh = path + "." + number;
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  const std::string line = number + "\n";
  const bool is_whole = file.is_open() && ::write(file.get(), line.data(), line.size()) ==
                                              static_cast<ssize_t>(line.size());
  file.close();
  if (!is_whole || std::rename(fresh.c_str(), path.c_str()) != 0) {
    ::unlink(fresh.c_str());
    return false;
  }
  path_ = path;
  return true;
}

void PidFile::remove() noexcept {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
    path_.clear();
  }
}

}  // namespace eider::detail::server
