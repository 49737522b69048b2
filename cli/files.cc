#include "cli/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace eider {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{64} << 20U;

struct Closing {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closing>;

std::unexpected<std::string> cannot(std::string_view what, const std::string& name, int error) {
  return fail(fmt::format("cannot {} {}: {}", what, name, std::system_category().message(error)));
}

/// name  for errors
Result<void, std::string> write_all(File file, const std::string& name, std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const int error = errno;
  if (std::fclose(file.release()) != 0 || !is_written) {
    return cannot("write", name, is_written ? errno : error);
  }
  return {};
}

/// Overwrites the file; an existing file keeps its owner, mode and links.
Result<void, std::string> write_into(const std::string& file_name, const std::string& name,
                                     std::string_view text) {
  File file(std::fopen(file_name.c_str(), "wb"));
  return file == nullptr ? cannot("write", name, errno) : write_all(std::move(file), name, text);
}

/// Returns whether another file may replace it: not a device, a directory, a file with several
/// names, or a link to a file that does not exist yet.
bool is_replaceable(const std::string& name) noexcept {
  struct stat found{};
  if (::stat(name.c_str(), &found) == 0) {
    return S_ISREG(found.st_mode) && found.st_nlink == 1 && !name.starts_with("/dev/") &&
           !name.starts_with("/proc/");
  }
  return ::lstat(name.c_str(), &found) != 0;
}

/// name  ends with XXXXXX, which is replaced
std::FILE* make_temporary(std::string& name) noexcept {
  const int made = ::mkstemp(name.data());
  return made < 0 ? nullptr : ::fdopen(made, "wb");
}

mode_t mask_of_process() noexcept {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

}  // namespace

Result<std::string, std::string> read_text_file(const std::string& name) {
  const File file(std::fopen(name.c_str(), "rb"));
  if (file == nullptr) {
    return cannot("read", name, errno);
  }
  std::string text;
  std::array<char, 16 * 1024> piece;
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), count);
    if (text.size() > kFileBytesMax) {
      return cannot("read", name, EFBIG);
    }
  }
  if (std::ferror(file.get()) != 0) {
    return cannot("read", name, errno);
  }
  return text;
}

Result<void, std::string> write_text_file(const std::string& name, std::string_view text) {
  if (name == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return {};
  }
  if (!is_replaceable(name)) {
    return write_into(name, name, text);
  }
  struct stat found{};
  const bool is_there = ::stat(name.c_str(), &found) == 0;
  if (is_there && ::access(name.c_str(), W_OK) != 0) {
    return cannot("write", name, errno);
  }
  // Replaces the target of a symbolic link, not the link.
  std::error_code failed;
  const std::string canonical = std::filesystem::weakly_canonical(name, failed).string();
  const std::string& target = failed ? name : canonical;
  std::string fresh = target + ".XXXXXX";
  File file(make_temporary(fresh));
  // An existing file may be writable although its directory is not, or may have to keep its owner.
  if (file == nullptr ||
      (is_there && ::fchown(::fileno(file.get()), found.st_uid, found.st_gid) != 0)) {
    const int error = errno;
    if (file != nullptr) {
      ::unlink(fresh.c_str());
    }
    return is_there ? write_into(name, name, text) : cannot("write", name, error);
  }
  (void)::fchmod(::fileno(file.get()),
                 is_there ? found.st_mode & 07777U : 0666U & ~mask_of_process());
  auto written = write_all(std::move(file), name, text);
  if (written && std::rename(fresh.c_str(), target.c_str()) != 0) {
    // For example, a file that is mounted into a container.
    written = is_there ? write_into(name, name, text) : cannot("write", name, errno);
  } else if (written) {
    return written;
  }
  ::unlink(fresh.c_str());
  return written;
}

Result<void, std::string> check_writable(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (name == "-") {
    return {};
  }
  if (fs::is_directory(name, failed)) {
    return cannot("write", name, EISDIR);
  }
  const bool is_there = fs::exists(name, failed);
  const fs::path asked = is_there ? fs::path(name) : fs::path(name).parent_path() / ".";
  return ::access(asked.c_str(), is_there ? W_OK : W_OK | X_OK) == 0 ? Result<void, std::string>()
                                                                     : cannot("write", name, errno);
}

Result<void, std::string> write_if_new(const std::string& name, std::string_view text) {
  const auto before = read_text_file(name);
  return before && *before == text ? Result<void, std::string>() : write_text_file(name, text);
}

Result<TemporaryDirectory, std::string> TemporaryDirectory::create(const std::string& parent,
                                                                   const std::string& prefix) {
  std::error_code failed;
  std::filesystem::create_directories(parent, failed);
  std::string name = parent + "/" + prefix + "XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(fmt::format("cannot write in {}", parent));
  }
  return TemporaryDirectory(std::move(name));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) {
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace eider
