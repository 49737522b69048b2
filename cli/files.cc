#include "cli/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
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
  File file(std::fopen(name.c_str(), "wb"));
  if (file == nullptr) {
    return cannot("write", name, errno);
  }
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (std::fclose(file.release()) != 0 || !is_written) {
    return cannot("write", name, errno);
  }
  return {};
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
