#include "cli/dev/files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace eider::dev {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

Result<void, std::string> write_if_new(const std::filesystem::path& file, std::string_view text) {
  if (!text.empty() && read_text(file) == text) {
    return {};
  }
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    return fail("cannot write " + file.string() + ": " + std::strerror(errno));
  }
  return {};
}

}  // namespace eider::dev
