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
Result<void, std::string> write_into(const std::string& file_name, const std::string& name,
                                     std::string_view text) {
  File file(std::fopen(file_name.c_str(), "wb"));
  if (file == nullptr) {
    return cannot("write", name, errno);
  }
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  const int error = errno;
  if (std::fclose(file.release()) != 0 || !is_written) {
    return cannot("write", name, is_written ? errno : error);
  }
  return {};
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
  struct stat found{};
  const bool is_there = ::stat(name.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode)) {
    return write_into(name, name, text);  // a device, or a directory, which is an error
  }
  // The file that a symbolic link refers to is replaced, and not the link.
  std::error_code failed;
  const std::string target = std::filesystem::weakly_canonical(name, failed).string();
  std::string fresh = (failed ? name : target) + ".XXXXXX";
  const int made = ::mkstemp(fresh.data());
  if (made < 0) {
    // The file may be writable in a directory that is not.
    return is_there && errno == EACCES ? write_into(name, name, text)
                                       : cannot("write", name, errno);
  }
  (void)::fchmod(made, is_there ? found.st_mode & 07777U : 0666U & ~mask_of_process());
  ::close(made);
  auto written = is_there && ::access(name.c_str(), W_OK) != 0 ? cannot("write", name, errno)
                                                               : write_into(fresh, name, text);
  if (written && std::rename(fresh.c_str(), (failed ? name : target).c_str()) != 0) {
    written = cannot("write", name, errno);
  }
  if (!written) {
    ::unlink(fresh.c_str());
  }
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

}  // namespace eider
