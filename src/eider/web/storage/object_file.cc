#include "eider/web/storage/object_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/blocking.h"
#include "eider/protocols/http/etag.h"
#include "eider/protocols/http/mime.h"
#include "eider/web/files/beneath.h"
#include "eider/web/storage/storage_key.h"

namespace eider::detail::storage {

namespace {

constexpr std::string_view kMark = "\nEIDEROBJ";
constexpr std::size_t kLengthDigits = 8;
constexpr std::size_t kTailBytes = kLengthDigits + kMark.size();
constexpr std::size_t kFooterBytesMax = std::size_t{32} * 1024;
constexpr std::size_t kReadBytes = std::size_t{256} * 1024;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr mode_t kDirectoryMode = 0700;

struct Footer {
  std::string content_type;
  std::string etag;
  std::int64_t modified_seconds = 0;
  std::string filename;
  StorageMetadata metadata;
};

std::unexpected<int> fail_errno() {
  return fail(static_cast<int>(errno));
}

std::optional<std::string> read_fully(int fd, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t count =
        ::pread(fd, text.data() + filled, bytes - filled, static_cast<off_t>(offset + filled));
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    filled += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  return text;
}

/// Reads the part of an object, in pieces. It keeps the file, which may be replaced meanwhile.
class FileBytes final : public ObjectBytes {
 public:
  FileBytes(std::shared_ptr<const Descriptor> file, std::uint64_t first,
            std::uint64_t bytes) noexcept
      : file_(std::move(file)), at_(first), end_(first + bytes) {}

  Task<std::string> next() override {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, end_ - at_));
    if (bytes == 0) {
      co_return std::string();
    }
    std::optional<std::string> piece = co_await run_blocking(
        [file = file_, at = at_, bytes] { return read_fully(file->get(), at, bytes); });
    if (!piece) {
      throw Failure(Error::unavailable("The file cannot be read at the moment. Try again later."));
    }
    at_ += piece->size();
    co_return std::move(*piece);
  }

 private:
  std::shared_ptr<const Descriptor> file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

/// The properties at the end of the file, and how many bytes they have.
std::optional<std::pair<Footer, std::uint64_t>> find_footer(int fd, std::uint64_t size) {
  if (size < kTailBytes) {
    return std::nullopt;
  }
  const auto tail = read_fully(fd, size - kTailBytes, kTailBytes);
  if (!tail || !tail->ends_with(kMark)) {
    return std::nullopt;
  }
  std::size_t length = 0;
  const char* const digits_end = tail->data() + kLengthDigits;
  const auto [end, error] = std::from_chars(tail->data(), digits_end, length, 16);
  if (error != std::errc() || end != digits_end || length > kFooterBytesMax ||
      length + kTailBytes > size) {
    return std::nullopt;
  }
  const auto text = read_fully(fd, size - kTailBytes - length, length);
  if (!text) {
    return std::nullopt;
  }
  auto footer = json::read<Footer>(*text, {.unknown_members = json::UnknownMembers::kIgnore});
  if (!footer) {
    return std::nullopt;
  }
  return std::pair(std::move(*footer), length + kTailBytes);
}

/// Opens the directory of a key; `base` becomes the name in it. Each segment is opened on its own
/// and no link is followed, so that no part can be replaced by a link meanwhile.
Result<Descriptor, int> open_parent(int root, std::string_view key, std::string& base, bool makes) {
  Descriptor directory(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (directory.is_open()) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) {
      base = key;
      return directory;
    }
    const std::string segment(key.substr(0, slash));
    if (makes && ::mkdirat(directory.get(), segment.c_str(), kDirectoryMode) == 0 &&
        ::fsync(directory.get()) != 0) {
      return fail_errno();
    }
    directory = Descriptor(::openat(directory.get(), segment.c_str(),
                                    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    key.remove_prefix(slash + 1);
  }
  return fail_errno();
}

/// One attempt to move the file to its path.
int place_once(int root, const std::string& key, const std::string& path, Replace replace) {
  std::string base;
  const auto parent = open_parent(root, key, base, true);
  if (!parent) {
    return parent.error();
  }
  const int failed = replace == Replace::yes
                         ? ::renameat(AT_FDCWD, path.c_str(), parent->get(), base.c_str())
                         : ::linkat(AT_FDCWD, path.c_str(), parent->get(), base.c_str(), 0);
  if (failed != 0) {
    return errno;
  }
  if (replace == Replace::no) {
    ::unlink(path.c_str());
  }
  return ::fsync(parent->get()) == 0 ? 0 : errno;
}

/// Directories that are empty go with their last object. Others may put something there meanwhile:
/// then they stay.
void remove_empty_parents(int root, std::string key) {
  while (true) {
    const std::size_t slash = key.rfind('/');
    if (slash == std::string::npos) {
      return;
    }
    key.resize(slash);
    std::string base;
    const auto parent = open_parent(root, key, base, false);
    if (!parent || ::unlinkat(parent->get(), base.c_str(), AT_REMOVEDIR) != 0) {
      return;
    }
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

/// Walks the tree in the order of the keys.
class Listing {
 public:
  Listing(int root, const std::string& prefix, const ListOptions& options)
      : root_(root), prefix_(prefix), options_(options) {}

  Result<ObjectPage, int> list() {
    // Other directories than that of the prefix hold no such key.
    const std::size_t slash = prefix_.rfind('/');
    if (const int error = walk(slash == std::string::npos ? "" : prefix_.substr(0, slash + 1))) {
      return fail(error);
    }
    if (page_.objects.size() > options_.count_max) {
      page_.objects.pop_back();
      page_.next = page_.objects.back().key;
    }
    return std::move(page_);
  }

 private:
  [[nodiscard]] bool is_full() const { return page_.objects.size() > options_.count_max; }

  /// directory  empty, or with a slash at its end
  int walk(const std::string& directory) {
    std::vector<std::string> names;
    if (const int error = read_names(directory, names)) {
      return error == ENOENT || error == ENOTDIR || error == ELOOP ? 0 : error;
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (is_full()) {
        return 0;
      }
      const std::string path = directory + name;
      const int error = name.ends_with('/') ? walk(path) : add(path);
      if (error != 0) {
        return error;
      }
    }
    return 0;
  }

  /// The names that can lead to a key of the page; those of directories end with a slash.
  int read_names(const std::string& directory, std::vector<std::string>& names) const {
    const std::string path = directory.substr(0, directory.size() - (directory.empty() ? 0 : 1));
    files::Opened opened = files::open_beneath(root_, path, Symlinks::none, files::Lookups::any);
    if (opened.error != 0) {
      return opened.error;
    }
    const std::unique_ptr<DIR, CloseDirectory> entries(::fdopendir(opened.file.get()));
    if (entries == nullptr) {
      return errno;
    }
    (void)opened.file.release();
    while (const dirent* const entry = ::readdir(entries.get())) {
      std::string name = entry->d_name;
      if (name == "." || name == "..") {
        continue;
      }
      if (is_directory(*entry, ::dirfd(entries.get()))) {
        name += '/';
      }
      if (is_wanted(directory + name)) {
        names.push_back(std::move(name));
      }
    }
    return 0;
  }

  static bool is_directory(const dirent& entry, int directory) {
    if (entry.d_type != DT_UNKNOWN) {
      return entry.d_type == DT_DIR;
    }
    struct stat status{};
    return ::fstatat(directory, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
  }

  [[nodiscard]] bool is_wanted(const std::string& path) const {
    if (path.ends_with('/')) {
      const bool is_of_prefix = path.starts_with(prefix_) || prefix_.starts_with(path);
      return is_of_prefix && (options_.after.starts_with(path) || path > options_.after);
    }
    return path.starts_with(prefix_) && path > options_.after && check_storage_key(path);
  }

  int add(const std::string& key) {
    auto opened = open_object(root_, key);
    if (!opened) {
      return opened.error();
    }
    if (*opened) {
      StoredObject& about = (*opened)->about;
      page_.objects.push_back({.key = std::move(about.key),
                               .bytes = about.bytes,
                               .etag = std::move(about.etag),
                               .modified_seconds = about.modified_seconds});
    }
    return 0;
  }

  int root_;
  const std::string& prefix_;
  const ListOptions& options_;
  ObjectPage page_;
};

}  // namespace

std::string write_footer(const StoredObject& object) {
  std::string text = json::to_text(Footer{.content_type = object.content_type,
                                          .etag = object.etag,
                                          .modified_seconds = object.modified_seconds,
                                          .filename = object.filename,
                                          .metadata = object.metadata});
  std::array<char, kLengthDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%08zx", text.size());
  return text.append(digits.data()).append(kMark);
}

std::optional<OpenedObject> read_object(Descriptor file, const std::string& key) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  OpenedObject opened{.about = {.key = key}};
  if (auto found = find_footer(file.get(), size)) {
    Footer& footer = found->first;
    opened.about.bytes = size - found->second;
    opened.about.content_type = std::move(footer.content_type);
    opened.about.etag = std::move(footer.etag);
    opened.about.modified_seconds = footer.modified_seconds;
    opened.about.filename = std::move(footer.filename);
    opened.about.metadata = std::move(footer.metadata);
  } else {
    const std::int64_t modified_ns =
        status.st_mtim.tv_sec * kNanosecondsPerSecond + status.st_mtim.tv_nsec;
    opened.about.bytes = size;
    opened.about.content_type = media_type_of(key);
    opened.about.etag = make_entity_tag(
        {.inode = status.st_ino, .size = size, .modified_ns = modified_ns}, TagStrength::strong);
    opened.about.modified_seconds = status.st_mtim.tv_sec;
  }
  opened.bytes = opened.about.bytes;
  opened.file = std::make_shared<const Descriptor>(std::move(file));
  opened.content = std::make_unique<FileBytes>(opened.file, 0, opened.bytes);
  return opened;
}

void choose_part(OpenedObject& opened, const ObjectRange& range) {
  opened.first = std::min(range.first, opened.about.bytes);
  opened.bytes =
      std::min(range.bytes.value_or(opened.about.bytes), opened.about.bytes - opened.first);
  opened.content = std::make_unique<FileBytes>(opened.file, opened.first, opened.bytes);
}

Result<std::optional<OpenedObject>, int> open_object(int root, const std::string& key) {
  files::Opened opened = files::open_beneath(root, key, Symlinks::none, files::Lookups::any);
  if (opened.error == 0) {
    return read_object(std::move(opened.file), key);
  }
  const bool is_absent = opened.error == ENOENT || opened.error == ENOTDIR ||
                         opened.error == ELOOP || opened.error == EXDEV || opened.error == ENXIO;
  if (!is_absent) {
    return fail(opened.error);
  }
  return std::nullopt;
}

Result<void, int> place_object(int root, const std::string& key, const std::string& path,
                               Replace replace) {
  // A directory may be removed as empty between its making and its use.
  constexpr int kTries = 16;
  int error = 0;
  for (int turn = 0; turn < kTries; ++turn) {
    error = place_once(root, key, path, replace);
    if (error != ENOENT) {
      break;
    }
  }
  return error == 0 ? Result<void, int>() : fail(error);
}

Result<void, int> place_open_file(int root, const std::string& key, int file,
                                  const std::string& temporary, Replace replace) {
  // The bytes are on the disk before the name leads to them: a crash in between leaves the old
  // ones.
  const std::string open_path = "/proc/self/fd/" + std::to_string(file);
  if (::fsync(file) != 0 ||
      ::linkat(AT_FDCWD, open_path.c_str(), AT_FDCWD, temporary.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return fail_errno();
  }
  auto placed = place_object(root, key, temporary, replace);
  if (!placed) {
    ::unlink(temporary.c_str());
  }
  return placed;
}

bool is_key_conflict(int error) noexcept {
  return error == ENOTDIR || error == EISDIR || error == EEXIST || error == ENOTEMPTY ||
         error == ELOOP;
}

Result<bool, int> delete_object(int root, const std::string& key) {
  std::string base;
  const auto parent = open_parent(root, key, base, false);
  const auto is_absent = [](int error) {
    return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EISDIR;
  };
  if (!parent) {
    return is_absent(parent.error()) ? Result<bool, int>(false) : fail(parent.error());
  }
  if (::unlinkat(parent->get(), base.c_str(), 0) != 0) {
    const int error = errno;
    return is_absent(error) ? Result<bool, int>(false) : fail(error);
  }
  if (::fsync(parent->get()) != 0) {
    return fail_errno();
  }
  remove_empty_parents(root, key);
  return true;
}

Result<ObjectPage, int> list_objects(int root, const std::string& prefix,
                                     const ListOptions& options) {
  return Listing(root, prefix, options).list();
}

}  // namespace eider::detail::storage
