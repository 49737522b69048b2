#include "eider/tls/detail/file_stamp.h"

#include <sys/stat.h>

namespace eider::detail {

namespace {

std::int64_t to_ns(const timespec& time) noexcept {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec;
}

}  // namespace

FileStamp stamp_of(const std::string& path) noexcept {
  struct stat found{};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) {
    return {};
  }
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .bytes = found.st_size,
          .modified_ns = to_ns(found.st_mtim),
          .changed_ns = to_ns(found.st_ctim)};
}

}  // namespace eider::detail
