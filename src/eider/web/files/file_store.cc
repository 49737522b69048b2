#include "eider/web/files/file_store.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "eider/app/handlers/respond.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/blocking.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNameBytes = 16;

/// Only these names are opened, even if a row contains another one, so that a name cannot be a
/// path.
bool is_name(std::string_view name) noexcept {
  return name.size() == 2 * kNameBytes &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

FileServer open(const std::string& directory) {
  constexpr mode_t kForThisUserAlone = 0700;
  if (detail::base::DescribesOnly::is_on()) {
    return std::move(*FileServer::open("/", {.memory_bytes_max = 0, .open_files_max = 0}));
  }
  // Creates only the directory itself: if the path is misspelled, its parent is missing, which is
  // an error.
  (void)::mkdir(directory.c_str(), kForThisUserAlone);
  // Files that require a login must not be stored in shared caches. Nothing is cached here either:
  // an open file would still occupy the disk after its removal.
  auto files = FileServer::open(directory, {.cache_control = "private, no-cache",
                                            .recheck = Duration::zero(),
                                            .memory_bytes_max = 0,
                                            .open_files_max = 0});
  if (!files) {
    throw Failure(Error::internal(files.error()));
  }
  return std::move(*files);
}

void remove_others(const std::string& directory, const std::set<std::string>& names,
                   std::chrono::seconds age) {
  const fs::file_time_type before = fs::file_time_type::clock::now() - age;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    if (is_name(name) && !names.contains(name) && entry.is_regular_file(error) &&
        entry.last_write_time(error) <= before) {
      fs::remove(entry.path(), error);
    }
  }
}

}  // namespace

FileStore::FileStore(std::string directory)
    : directory_(std::move(directory)), files_(open(directory_)) {
  detail::base::will_write(directory_);
}

std::string FileStore::new_name() {
  return to_hex(secret_bytes(kNameBytes));
}

Task<> FileStore::keep(TempFile file, std::string name) const {
  if (!is_name(name)) {
    throw Failure(Error::internal("The name of a stored file must come from FileStore::new_name"));
  }
  const auto kept = co_await file.keep(path_of(name));
  if (!kept) {
    throw Failure(Error::internal("Cannot store a file in " + directory_ + ": " +
                                  std::string(text(kept.error()))));
  }
}

Task<Response> FileStore::download(std::string name, std::string shown_as,
                                   const Request& request) const {
  if (!is_name(name)) {
    Response absent;
    render_error(absent, Error::not_found());
    co_return absent;
  }
  co_return co_await files_.download(std::move(name), std::move(shown_as), request);
}

Task<> FileStore::remove(std::vector<std::string> names) const {
  std::erase_if(names, [](const std::string& name) { return !is_name(name); });
  co_await run_blocking([directory = directory_, names = std::move(names)] {
    for (const std::string& name : names) {
      std::error_code error;
      fs::remove(fs::path(directory) / name, error);
    }
  });
}

Task<> FileStore::remove_all_but(std::vector<std::string> names, std::chrono::seconds age) const {
  co_await run_blocking([directory = directory_, names = std::set(names.begin(), names.end()),
                         age] { remove_others(directory, names, age); });
}

}  // namespace eider
