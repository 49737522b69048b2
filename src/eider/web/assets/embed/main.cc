// eider-assets: generates sources from the files of a directory, for eider_assets() in
// cmake/EiderAssets.cmake.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/read_file.h"
#include "eider/web/assets/embed/build.h"

namespace {

namespace fs = std::filesystem;
using namespace eider::detail::embed;

std::string read_file(const fs::path& path) {
  auto content = eider::detail::base::read_file(path.string());
  if (!content) {
    throw std::runtime_error(path.string() + ": cannot be read");
  }
  return *std::move(content);
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  if (!file) {
    throw std::runtime_error(path.string() + ": cannot be written");
  }
}

void make(const fs::path& directory, const fs::path& output, std::span<char* const> names) {
  std::vector<AssetSource> sources;
  for (const char* const name : names) {
    sources.push_back({name, read_file(directory / name)});
  }
  const auto assets = build_assets(std::move(sources));
  if (!assets) {
    throw std::runtime_error((directory / assets.error()).string());
  }
  const std::string function = output.filename();
  const std::string contents = fs::absolute(output).string() + ".bin";
  write_file(contents, contents_of(*assets));
  write_file(output.string() + ".h", header_of(function));
  write_file(output.string() + ".cc", source_of(*assets, function, contents));
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char* const> words(argv, static_cast<std::size_t>(argc));
  if (words.size() < 3) {
    std::fputs("usage: eider-assets DIRECTORY OUTPUT FILE…\n", stderr);
    return 2;
  }
  try {
    make(words[1], words[2], words.subspan(3));
    return 0;
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "%s\n", wrong.what());
    return 1;
  }
}
