#include "cli/project/project.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/patterns.h"
#include "cli/project/words.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

/// Returns the text without comments, which may mention eider.
std::string cmake_of(const fs::path& folder) {
  const auto text = read_text_file((folder / "CMakeLists.txt").string());
  return text ? replace_pattern(*text, "#[^\n]*", "") : std::string();
}

/// Returns whether it mentions eider, or a CMakeLists.txt that it adds does.
bool uses_eider(const fs::path& folder, const std::string& cmake, int depth = 0) {
  constexpr int kDepthMax = 8;  // links can be circular
  constexpr auto kIgnored = PatternCase::ignored;
  if (!find_pattern(cmake, R"(\beider(\b|_))", kIgnored).empty()) {
    return true;
  }
  if (depth == kDepthMax) {
    return false;
  }
  const auto added =
      find_patterns(cmake, R"re(\badd_subdirectory\s*\(\s*"?([^\s")]+))re", kIgnored);
  return std::ranges::any_of(added, [&](const PatternMatch& each) {
    const fs::path below = folder / each[1];
    return uses_eider(below, cmake_of(below), depth + 1);
  });
}

std::string project_name_in(const std::string& cmake) {
  const PatternMatch found =
      find_pattern(cmake, R"(\bproject\s*\(\s*([A-Za-z0-9_.+-]+))", PatternCase::ignored);
  return found.empty() ? std::string() : found[1];
}

/// Returns the value in the preset of that name, or in one that it inherits from; null: not set.
///
/// pointer  JSON pointer within a preset
const json::Value* in_preset(const json::Value& presets, const std::string& name,
                             std::string_view pointer, int depth = 0) {
  constexpr int kDepthMax = 16;  // inheritance can be circular
  for (std::size_t i = 0; presets.is_array() && depth != kDepthMax && i != presets.size(); ++i) {
    const json::Value& preset = presets[i];
    if (!(preset["name"] == json::Value(name))) {
      continue;
    }
    if (const json::Value* found = preset.find_at(pointer)) {
      return found;
    }
    const json::Value& above = preset["inherits"];
    const std::vector<json::Value> names =
        above.is_array() ? above.elements() : std::vector<json::Value>{above};
    for (const json::Value& each : names) {
      if (const auto* found =
              in_preset(presets, each.is_string() ? each.text() : "", pointer, depth + 1)) {
        return found;
      }
    }
  }
  return nullptr;
}

struct Preset {
  bool is_there = false;
  std::string compiler{};
};

Preset preset_of(const Build& build) {
  const auto text = read_text_file(build.project.root + "/CMakePresets.json");
  const auto presets = text ? json::read<json::Value>(*text) : json::read<json::Value>("{}");
  if (!presets) {
    return {.is_there = true};  // CMake reports the error
  }
  const json::Value& all = (*presets)["configurePresets"];
  Preset preset{.is_there = in_preset(all, build.preset, "/name") != nullptr};
  const json::Value* compiler = in_preset(all, build.preset, "/cacheVariables/CMAKE_CXX_COMPILER");
  if (compiler != nullptr && compiler->is_string()) {
    preset.compiler = compiler->text();
  }
  return preset;
}

/// Presets that work even if the project does not define them.
constexpr std::array<std::string_view, 4> kPresets = {"dev", "release", "asan", "tsan"};

/// Returns the options if the project has no preset of that name.
std::vector<std::string> options_of(std::string_view preset) {
  if (preset == "asan" || preset == "tsan") {
    const std::string_view which = preset == "asan" ? "address,undefined" : "thread";
    return {"-DCMAKE_BUILD_TYPE=Debug",
            fmt::format("-DCMAKE_CXX_FLAGS=-O1 -g -fsanitize={} -fno-sanitize-recover=all", which)};
  }
  return {preset == "release" ? "-DCMAKE_BUILD_TYPE=Release" : "-DCMAKE_BUILD_TYPE=Debug"};
}

/// errors   there is no compiler, with the package to install
Result<std::string, std::string> compiler_for(const Preset& preset, const Toolchain& toolchain) {
  if (chosen_compiler().empty() && !preset.compiler.empty() &&
      !find_program(preset.compiler).empty()) {
    return std::string();  // CMake reads it from the preset
  }
  return compiler_of(toolchain);
}

StepEnd end_of(const Result<ProgramEnd, std::string>& end) {
  if (!end) {
    return {kCommandFailed, end.error()};
  }
  return {end->is_stopped ? kCommandStopped : end->status, {}};
}

Result<std::vector<std::string>, std::string> configure_words(const Build& build) {
  const auto toolchain = find_toolchain();
  if (!toolchain) {
    return fail(toolchain.error());
  }
  const Preset preset = preset_of(build);
  if (!preset.is_there && std::ranges::find(kPresets, build.preset) == kPresets.end()) {
    return fail(fmt::format("there is no preset {} in CMakePresets.json. Built-in presets: {}",
                            build.preset, fmt::join(kPresets, ", ")));
  }
  const auto compiler = compiler_for(preset, *toolchain);
  if (!compiler) {
    return fail(compiler.error());
  }
  std::vector<std::string> words = {toolchain->cmake, "-S", build.project.root, "-B",
                                    build.directory()};
  if (preset.is_there) {
    words.push_back("--preset=" + build.preset);
  } else {
    words.insert(words.end(), {"-G", "Ninja"});
    std::ranges::copy(options_of(build.preset), std::back_inserter(words));
  }
  if (!compiler->empty()) {
    words.push_back("-DCMAKE_CXX_COMPILER=" + *compiler);
  }
  for (const std::string& each : build.definitions) {
    words.push_back("-D" + each);
  }
  return words;
}

/// Returns the errors in CMake's output; the whole output if it contains none.
std::string errors_in(const std::string& output) {
  const std::size_t first = output.find("CMake Error");
  return first == std::string::npos ? output : output.substr(first);
}

std::vector<std::pair<std::string, std::string>> environment_of(const Build& build) {
  auto all = package_environment();
  std::ranges::copy(build.environment, std::back_inserter(all));
  return all;
}

StepEnd configure_project(const Build& build) {
  if (fs::exists(build.directory() + "/build.ninja")) {
    return {};  // ninja reruns CMake if its files have changed
  }
  const auto words = configure_words(build);
  if (!words) {
    return {kCommandFailed, words.error()};
  }
  const auto end = run_program({.words = *words,
                                .directory = build.project.root,
                                .environment = environment_of(build),
                                .output = ProgramCall::Output::kept_with_errors});
  if (!end || end->is_good() || end->is_stopped) {
    return end_of(end);
  }
  // Remove the cache of a failed run, which would keep errors such as "the compiler is broken"
  // after the compiler is installed.
  std::error_code ignored;
  fs::remove(build.directory() + "/CMakeCache.txt", ignored);
  fs::remove_all(build.directory() + "/CMakeFiles", ignored);
  print_error("{}", errors_in(end->output));
  return {kCommandFailed, "CMake could not configure the project (see above)"};
}

/// Returns an error if the build has no such target, with the existing programs and libraries.
std::string unknown_target(const Build& build, std::string_view target) {
  const auto listed = run_quietly({"ninja", "-C", build.directory(), "-t", "targets", "all"});
  if (!listed || ("\n" + *listed).contains(fmt::format("\n{}: ", target))) {
    return {};
  }
  // "shop: CXX_EXECUTABLE_LINKER__shop_Release"
  std::set<std::string> names;
  for (const PatternMatch& each : find_patterns(*listed, "LINKER__([^\n]+)_[^_\n]*\n")) {
    names.insert(each[1]);
  }
  return fmt::format("there is no target {}; {} {}", target,
                     names.size() == 1 ? "the only target is" : "targets:",
                     names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<std::string> walked_files(const Project& project) {
  std::vector<std::string> files;
  std::error_code failed;
  auto at = fs::recursive_directory_iterator(project.root, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(".") || (at.depth() == 0 && name == "build")) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(failed)) {
      files.push_back(at->path().string());
    }
  }
  return files;
}

}  // namespace

Result<Project, std::string> find_project(const std::string& from) {
  fs::path folder = fs::absolute(from).lexically_normal();
  if (!folder.has_filename()) {
    folder = folder.parent_path();  // for "/srv/shop/."
  }
  for (bool is_used = false;; folder = folder.parent_path()) {
    const std::string cmake = cmake_of(folder);
    is_used = is_used || uses_eider(folder, cmake);
    if (is_used && !find_pattern(cmake, R"(\bproject\s*\()", PatternCase::ignored).empty()) {
      return Project{folder.string(), project_name_in(cmake)};
    }
    if (folder == folder.root_path()) {
      return fail(
          fmt::format("found no project {} or above: no CMakeLists.txt with project(…) that uses "
                      "eider. Create one with eider new NAME",
                      from == "." ? "here" : "in " + from));
    }
  }
}

StepEnd build_project(const Build& build, std::string_view target) {
  StepEnd step = configure_project(build);
  if (!step.is_good()) {
    return step;
  }
  std::vector<std::string> words = {"cmake", "--build", build.directory()};
  if (!target.empty()) {
    words.insert(words.end(), {"--target", std::string(target)});
  }
  step = end_of(run_program({.words = words,
                             .directory = build.project.root,
                             .environment = environment_of(build),
                             .output = build.output}));
  if (!step.is_good() && step.status != kCommandStopped) {
    if (auto why = target.empty() ? std::string() : unknown_target(build, target); !why.empty()) {
      return {kCommandFailed, std::move(why), true};
    }
    return {kCommandFailed, step.why.empty() ? "the build failed (see above)" : step.why};
  }
  return step;
}

Result<std::string, std::string> program_of(const Build& build) {
  for (const std::string_view below : {"/", "/bin/", "/src/"}) {
    std::string path = build.directory() + std::string(below) + build.project.name;
    std::error_code failed;
    if (fs::is_regular_file(path, failed) && access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return fail(fmt::format("{} has no program called {}. Set it with --program FILE",
                          build.directory(), build.project.name));
}

std::string version_of(const Build& build) {
  const std::string version = cached_value(build, "CMAKE_PROJECT_VERSION");
  return version.empty() ? "0" : version;
}

std::string cached_value(const Build& build, std::string_view name) {
  const auto cache = read_text_file(build.directory() + "/CMakeCache.txt");
  const PatternMatch found =
      find_pattern(cache.value_or(""), fmt::format("\n{}:[A-Z]+=([^\n]*)", name));
  return found.empty() ? "" : found[1];
}

bool is_source(const std::string& file) {
  constexpr std::array<std::string_view, 10> kEndings = {".cc",  ".h",  ".cpp", ".hpp", ".cxx",
                                                         ".hxx", ".hh", ".ipp", ".tcc", ".C"};
  return std::ranges::find(kEndings, fs::path(file).extension().string()) != kEndings.end() &&
         fs::is_regular_file(file);
}

std::vector<std::string> source_files(const Project& project) {
  std::vector<std::string> files;
  const auto listed =
      run_program({.words = {"git", "ls-files", "-coz", "--deduplicate", "--exclude-standard"},
                   .directory = project.root,
                   // A warning would become a part of the first file's name.
                   .output = ProgramCall::Output::kept_without_errors});
  if (listed && listed->is_stopped) {
    ::_exit(kCommandStopped);  // an incomplete list would be used as a whole one
  }
  if (listed && listed->is_good()) {
    std::string_view left = listed->output;
    while (!left.empty()) {
      const std::size_t end = std::min(left.find('\0'), left.size());
      files.push_back(project.root + "/" + std::string(left.substr(0, end)));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
  } else {
    files = walked_files(project);
  }
  std::erase_if(files, [](const std::string& file) { return !is_source(file); });
  std::ranges::sort(files);
  return files;
}

Result<InProject, int> in_project(std::string_view command, CommandWords& words,
                                  std::string_view takes, std::size_t count_max) {
  const auto folder = words.value("--project", "DIR");
  auto rest = words.rest(takes, count_max);
  if (!rest) {
    return fail(command_misused(command, rest.error()));
  }
  auto project = find_project(folder.value_or("."));
  if (!project) {
    return fail(command_fault(command, project.error()));
  }
  return InProject{std::move(*project), std::move(*rest)};
}

int told_end(std::string_view command, const StepEnd& step) {
  return step.why.empty() ? step.status : command_fault(command, step.why, step.status);
}

}  // namespace eider
