#include "cli/project/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace eider {

namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::error_code failed;
  return ::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, failed);
}

/// compiler  a path, or the value of CXX
std::string find_linker(std::string_view compiler) {
  constexpr std::string_view kVersioned = "clang++-";
  if (!find_program("mold").empty()) {
    return "mold";
  }
  // clang runs the linker of its own version; g++ looks for "ld.lld" only.
  const std::size_t at = compiler.rfind(kVersioned);
  const bool has_own =
      at != compiler.npos &&
      !find_program(fmt::format("ld.lld-{}", compiler.substr(at + kVersioned.size()))).empty();
  return has_own || !find_program("ld.lld").empty() ? "lld" : "";
}

bool has_package(const fs::path& library) {
  std::error_code failed;
  return fs::exists(library / "cmake/eider/eider-config.cmake", failed);
}

}  // namespace

std::string find_program(std::string_view name) {
  if (name.contains('/')) {
    return is_program(name) ? std::string(name) : std::string();
  }
  const char* const given = std::getenv("PATH");
  std::string_view path = given == nullptr ? "/usr/local/bin:/usr/bin:/bin" : given;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const fs::path file = fs::path(path.substr(0, end)) / name;
    if (is_program(file)) {
      return file;
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

std::vector<std::string> known_compilers() {
  std::vector<std::string> found;
  for (const std::string_view name : {"clang++-19", "clang++-21", "clang++-20", "clang++", "g++-15",
                                      "g++-14", "g++-13", "g++", "c++"}) {
    if (!find_program(name).empty()) {
      found.emplace_back(name);
    }
  }
  return found;
}

std::string chosen_compiler() {
  const char* const wanted = std::getenv("CXX");
  return wanted == nullptr ? "" : wanted;
}

Result<Toolchain, std::string> find_toolchain() {
  Toolchain found{.cmake = find_program("cmake"), .ninja = find_program("ninja")};
  if (found.ninja.empty()) {
    found.ninja = find_program("ninja-build");
  }
  if (found.cmake.empty() || found.ninja.empty()) {
    const bool has_compiler = !chosen_compiler().empty() || !known_compilers().empty();
    return fail(fmt::format(
        "build tools are missing. Run: apt install{}{}{}", found.cmake.empty() ? " cmake" : "",
        found.ninja.empty() ? " ninja-build" : "", has_compiler ? "" : " clang-19"));
  }
  const std::string wanted = chosen_compiler();
  if (const auto known = known_compilers(); wanted.empty() && !known.empty()) {
    found.compiler = find_program(known.front());
  }
  found.linker = find_linker(wanted.empty() ? found.compiler : wanted);
  return found;
}

Result<std::string, std::string> compiler_of(const Toolchain& toolchain) {
  if (std::string wanted = chosen_compiler(); !wanted.empty()) {
    return find_program(wanted).empty()
               ? fail(fmt::format("CXX is {}, but there is no such compiler", wanted))
               : Result<std::string, std::string>(std::move(wanted));
  }
  if (toolchain.compiler.empty()) {
    return fail(std::string(
        "no compiler was found: install clang 19 (apt install clang-19), or g++ 13 or later"));
  }
  return toolchain.compiler;
}

fs::path own_prefix() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  const fs::path prefix = failed ? fs::path() : program.parent_path().parent_path();
  bool is_found = has_package(prefix / "lib") || has_package(prefix / "lib64");
  // In Debian, libraries are in a folder for the architecture: lib/x86_64-linux-gnu.
  for (fs::directory_iterator at(prefix / "lib", failed), end; !is_found && !failed && at != end;
       at.increment(failed)) {
    is_found = has_package(at->path());
  }
  return is_found ? prefix : fs::path();
}

std::vector<std::pair<std::string, std::string>> package_environment() {
  const std::string prefix = own_prefix();
  if (prefix.empty()) {
    return {};
  }
  const char* const given = std::getenv("CMAKE_PREFIX_PATH");
  const std::string before = given == nullptr ? "" : given;
  const bool is_there = (":" + before + ":").contains(":" + prefix + ":");
  return {{"CMAKE_PREFIX_PATH", is_there         ? before
                                : before.empty() ? prefix
                                                 : fmt::format("{}:{}", prefix, before)}};
}

}  // namespace eider
