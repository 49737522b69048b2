#include "eider/core/base/reached.h"

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

namespace eider::detail::base {

namespace {

/// A limit, for programs that open files without end while they serve, such as a database per
/// tenant.
constexpr std::size_t kFilesMax = 1000;

struct Reached {
  std::mutex mutex;
  std::set<ReachedFile> files;
};

/// Never destroyed: files may be opened during the destruction of static objects.
Reached& all_reached() {
  static auto* const made = new Reached;
  return *made;
}

void tell(ReachedFile file) {
  if (file.path.empty()) {
    return;
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(file.path, failed);
  if (!failed) {
    file.path = absolute.string();
  }
  Reached& all = all_reached();
  const std::lock_guard lock(all.mutex);
  if (all.files.size() < kFilesMax) {
    all.files.insert(std::move(file));
  }
}

}  // namespace

void allow_in_sandbox(const std::string& path) {
  tell({.path = path});
}

void will_write(const std::string& path) {
  tell({.path = path, .is_written = true});
}

void will_read_alone(const std::string& path) {
  tell({.path = path, .is_alone = true});
}

std::vector<ReachedFile> reached_files() {
  Reached& all = all_reached();
  const std::lock_guard lock(all.mutex);
  return {all.files.begin(), all.files.end()};
}

}  // namespace eider::detail::base
