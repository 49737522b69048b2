#include "cli/dev/source_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

namespace eider::dev {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kWatched = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE |
                                   IN_DELETE | IN_ONLYDIR | IN_DONT_FOLLOW;
constexpr std::size_t kReadBytes = 65536;
// A directory with this file is a build directory.
constexpr const char* kBuildMark = "CMakeCache.txt";

using namespace std::string_view_literals;

constexpr std::array kSources{".cc"sv,  ".cpp"sv, ".cxx"sv,  ".c"sv,    ".h"sv,   ".hh"sv,
                              ".hpp"sv, ".hxx"sv, ".ipp"sv,  ".inc"sv,  ".tcc"sv, ".in"sv,
                              ".S"sv,   ".sql"sv, ".lock"sv, ".cmake"sv};
constexpr std::array kSettings{".toml"sv, ".ini"sv, ".yaml"sv, ".yml"sv, ".env"sv};
constexpr std::array kPages{".html"sv, ".htm"sv,  ".po"sv,    ".js"sv,         ".mjs"sv,  ".svg"sv,
                            ".png"sv,  ".jpg"sv,  ".jpeg"sv,  ".webp"sv,       ".avif"sv, ".gif"sv,
                            ".ico"sv,  ".woff"sv, ".woff2"sv, ".webmanifest"sv};

bool is_one_of(std::span<const std::string_view> all, std::string_view extension) {
  return std::ranges::find(all, extension) != all.end();
}

}  // namespace

struct SourceWatch::Told {
  int watch;
  std::uint32_t what;
  std::string name;
};

Result<SourceWatch, std::string> SourceWatch::open(const fs::path& root, fs::path left_out) {
  SourceWatch made;
  made.fd_ = Descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!made.fd_.is_open()) {
    return fail("cannot watch files: " + std::string(std::strerror(errno)) +
                "; raise fs.inotify.max_user_instances (sysctl)");
  }
  made.root_ = root;
  made.left_out_ = std::move(left_out);
  if (!made.add(root, nullptr)) {
    return fail("cannot watch " + root.string() + ": " + std::strerror(errno) +
                (errno == ENOSPC ? "; raise fs.inotify.max_user_watches (sysctl)" : ""));
  }
  return made;
}

bool SourceWatch::is_left_out(const fs::path& directory) const {
  if (directory == root_) {
    return false;
  }
  const std::string name = directory.filename();
  std::error_code ignored;
  return name.starts_with('.') || name == "node_modules" || directory == root_ / "build" ||
         fs::exists(directory / kBuildMark, ignored) ||
         fs::equivalent(directory, left_out_, ignored);
}

bool SourceWatch::add(const fs::path& directory, std::vector<fs::path>* found) {
  if (is_left_out(directory)) {
    return true;
  }
  const int watch = ::inotify_add_watch(fd_.get(), directory.c_str(), kWatched);
  if (watch < 0) {
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES;  // already gone, or not readable
  }
  directories_[watch] = directory;
  std::error_code gone;
  for (fs::directory_iterator at(directory, gone), end; !gone && at != end; at.increment(gone)) {
    std::error_code absent;
    if (at->symlink_status(absent).type() == fs::file_type::directory) {
      if (!add(at->path(), found)) {
        return false;
      }
    } else if (found != nullptr) {
      found->push_back(at->path());
    }
  }
  return true;
}

/// The kernel keeps watching a moved directory, but its path has changed.
void SourceWatch::remove(const fs::path& directory) {
  const std::string below = directory.string() + "/";
  std::erase_if(directories_, [&](const auto& each) {
    const bool is_below = each.second == directory || each.second.string().starts_with(below);
    if (is_below) {
      (void)::inotify_rm_watch(fd_.get(), each.first);
    }
    return is_below;
  });
}

void SourceWatch::take(const Told& told, SourceChanges& changes) {
  if ((told.what & IN_Q_OVERFLOW) != 0) {
    changes.are_incomplete = true;
    (void)add(root_, nullptr);  // directories may have been added meanwhile
    return;
  }
  const auto found = directories_.find(told.watch);
  if (found == directories_.end()) {
    return;
  }
  if ((told.what & IN_IGNORED) != 0) {
    directories_.erase(found);
    return;
  }
  const fs::path path = found->second / told.name;
  if (told.name == kBuildMark && found->second != root_) {
    const fs::path made = found->second;
    remove(made);
    std::erase_if(changes.files, [&made](const fs::path& file) {
      return file.string().starts_with(made.string() + "/");
    });
  } else if ((told.what & IN_ISDIR) == 0) {
    if ((told.what & IN_CREATE) == 0) {  // a new file is reported again when it is written
      changes.files.push_back(path);
    }
  } else if ((told.what & (IN_MOVED_FROM | IN_DELETE)) != 0) {
    remove(path);
    changes.are_incomplete = true;  // its files are unknown
  } else if ((told.what & (IN_MOVED_TO | IN_CREATE)) != 0) {
    (void)add(path, &changes.files);
  }
}

SourceChanges SourceWatch::read() {
  SourceChanges changes;
  alignas(inotify_event) std::array<char, kReadBytes> bytes{};
  for (ssize_t count = 0; (count = ::read(fd_.get(), bytes.data(), bytes.size())) > 0;) {
    for (const char* at = bytes.data(); at < bytes.data() + count;) {
      inotify_event event{};
      std::memcpy(&event, at, sizeof(event));
      const char* const name = at + sizeof(event);
      take({event.wd, event.mask, std::string(name, ::strnlen(name, event.len))}, changes);
      at += sizeof(event) + event.len;
    }
  }
  std::ranges::sort(changes.files);
  const auto twice = std::ranges::unique(changes.files);
  changes.files.erase(twice.begin(), twice.end());
  return changes;
}

ChangeKind kind_of(const std::filesystem::path& file) {
  const std::string name = file.filename();
  // Editors store temporary files next to the file: .#a.cc, #a.cc#, .a.cc.swp, a.cc~.
  if (name.empty() || name.starts_with('.') || name.starts_with('#') || name.ends_with('~')) {
    return ChangeKind::none;
  }
  const std::string extension = file.extension();
  if (name == "CMakeLists.txt" || is_one_of(kSources, extension)) {
    return ChangeKind::source;
  }
  if (is_one_of(kSettings, extension)) {
    return ChangeKind::setting;
  }
  if (extension == ".css") {
    return ChangeKind::style;
  }
  return is_one_of(kPages, extension) ? ChangeKind::page : ChangeKind::none;
}

ChangeKind kind_of(const SourceChanges& changes) {
  ChangeKind greatest = changes.are_incomplete ? ChangeKind::source : ChangeKind::none;
  for (const auto& file : changes.files) {
    greatest = std::max(greatest, kind_of(file));
  }
  return greatest;
}

}  // namespace eider::dev
