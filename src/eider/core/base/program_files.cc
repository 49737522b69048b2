#include "eider/core/base/program_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace eider {

namespace {

namespace fs = std::filesystem;

/// Returns the source directory of the project in whose build directory the executable is, or an
/// empty path if there is no such directory within two levels.
fs::path source_directory(fs::path folder) {
  constexpr int kLevelsMax = 3;
  constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  for (int level = 0; level < kLevelsMax; ++level, folder = folder.parent_path()) {
    std::ifstream cache(folder / "CMakeCache.txt");
    for (std::string line; std::getline(cache, line);) {
      if (line.starts_with(kKey)) {
        return line.substr(kKey.size());
      }
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> program_places(std::string_view path, std::string_view program) {
  std::error_code error;
  std::vector<fs::path> folders = {fs::current_path(error)};
  const fs::path executable =
      program.empty() ? fs::read_symlink("/proc/self/exe", error) : fs::path(program);
  if (!executable.empty()) {
    const fs::path folder = executable.parent_path();
    folders.insert(folders.end(), {folder, folder.parent_path(),
                                   folder.parent_path() / "share" / executable.filename(),
                                   source_directory(folder)});
  }
  std::vector<std::string> places;
  for (const fs::path& folder : folders) {
    const std::string place = (folder / path).string();
    if (!folder.empty() && std::ranges::find(places, place) == places.end()) {
      places.push_back(place);
    }
  }
  return places;
}

std::string program_path(std::string_view path) {
  std::error_code error;
  if (path.empty() || path.front() == '/' || fs::exists(path, error)) {
    return std::string(path);
  }
  const std::vector<std::string> places = program_places(path);
  const auto found = std::ranges::find_if(
      places, [&error](const std::string& place) { return fs::exists(place, error); });
  return found == places.end() ? std::string(path) : *found;
}

std::string searched_places(std::string_view path) {
  std::string text;
  if (path.empty() || path.front() == '/') {
    return text;
  }
  for (const std::string& place : program_places(path)) {
    text.append(text.empty() ? " (searched: " : ", ").append(place);
  }
  return text.append(")");
}

}  // namespace eider
