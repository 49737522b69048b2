#include "cli/dev/run_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/dev/configure.h"
#include "cli/files.h"
#include "cli/process/run.h"
#include "cli/project/project.h"
#include "cli/project/words.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::dev {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunHelp = R"(eider run FILE.cc [option of the program …]

Compiles a program in a single source file and runs it. Results are cached in $XDG_CACHE_HOME/eider
(default: ~/.cache/eider), so an unchanged file is not compiled again. Components are linked by the
headers that the file includes. A file that starts with #!/usr/bin/env -S eider run can be run by
its name.

  eider run hello.cc --port 3000

Exit codes: 0 success, 1 build failure, 2 invalid usage; else that of the program
)";

/// " header=component " for each public header, from the declarations of the components.
constexpr std::string_view kComponentsOfHeaders = EIDER_COMPONENTS_OF_HEADERS;

Result<fs::path, std::string> cache_directory() {
  if (const char* const given = std::getenv("XDG_CACHE_HOME"); given != nullptr && *given == '/') {
    return fs::path(given) / "eider";
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache/eider";
  }
  return fail(std::string("cannot find a build directory: set XDG_CACHE_HOME or HOME"));
}

/// Quotes the path for CMake.
std::string cmake_quoted(const fs::path& path) {
  std::string all = "\"";
  for (const char byte : path.string()) {
    if (byte == '"' || byte == '\\' || byte == '$') {
      all += '\\';
    }
    all += byte;
  }
  return all + "\"";
}

std::string project_text(const fs::path& compiled, const fs::path& file,
                         const std::set<std::string>& components) {
  std::string names;
  std::string targets;
  for (const std::string& each : components) {
    names += " " + each;
    targets += " eider::" + each;
  }
  return "cmake_minimum_required(VERSION 3.25)\nproject(eider_run LANGUAGES CXX)\n"
         "find_package(eider REQUIRED COMPONENTS core" +
         names + ")\nadd_executable(program " + cmake_quoted(compiled) +
         ")\n"
         // The help of the program shows this name.
         "set_target_properties(program PROPERTIES RUNTIME_OUTPUT_DIRECTORY "
         "\"${CMAKE_BINARY_DIR}/bin\" OUTPUT_NAME " +
         cmake_quoted(file.stem()) +
         ")\n"
         "target_include_directories(program PRIVATE " +
         cmake_quoted(file.parent_path()) + ")\ntarget_link_libraries(program PRIVATE eider::core" +
         targets + ")\n";
}

/// Returns a source that compilers accept: if it begins with "#!", a copy without that line.
Result<fs::path, std::string> compiled_of(const fs::path& file, const std::string& source,
                                          const fs::path& directory) {
  if (!source.starts_with("#!")) {
    return file;
  }
  const fs::path copy = directory / "source.cc";
  const std::string rest = source.substr(std::min(source.find('\n'), source.size() - 1) + 1);
  const auto written = write_if_new(copy, "#line 2 " + cmake_quoted(file) + "\n" + rest);
  return written ? Result<fs::path, std::string>(copy) : fail(written.error());
}

/// Locks the directory: concurrent builds wait.
Descriptor lock_directory(const fs::path& directory) {
  Descriptor lock(::open((directory / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  (void)::flock(lock.get(), LOCK_EX);
  return lock;
}

/// errors  its output if it fails; kWasStopped
Result<void, std::string> run_tool(std::vector<std::string> words) {
  const auto ended =
      run_program({.words = std::move(words), .output = ProgramCall::Output::kept_with_errors});
  if (!ended) {
    return fail(ended.error());
  }
  if (ended->is_stopped) {
    return fail(std::string(kWasStopped));
  }
  return ended->is_good() ? Result<void, std::string>()
                          : fail("the build failed\n" + ended->output);
}

/// returns  the program
Result<fs::path, std::string> build(const fs::path& file, const std::string& source) {
  const auto toolchain = find_toolchain();
  const auto cache = cache_directory();
  if (!toolchain || !cache) {
    return fail(toolchain ? cache.error() : toolchain.error());
  }
  const auto compiler = compiler_of(*toolchain);
  if (!compiler) {
    return fail(compiler.error());
  }
  const std::size_t key =
      std::hash<std::string>()(file.string() + own_prefix().string() + *compiler);
  const fs::path directory = *cache / fmt::format("run/{}-{:016x}", file.stem().string(), key);
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed) {
    return fail("cannot create " + directory.string() + ": " + failed.message());
  }
  const Descriptor lock = lock_directory(directory);
  const auto compiled = compiled_of(file, source, directory);
  if (!compiled) {
    return fail(compiled.error());
  }
  auto written = write_if_new(directory / "CMakeLists.txt",
                              project_text(*compiled, file, components_of(source)));
  const fs::path tree = directory / "build";
  if (written) {
    written = write_additions(tree);
  }
  if (!written) {
    return fail(written.error());
  }
  if (!fs::exists(tree / "build.ninja")) {
    auto configured = run_tool(configure_words(*toolchain, {directory, tree, {}}));
    if (!configured) {
      return fail(configured.error());
    }
  }
  if (auto done = run_tool({toolchain->ninja, "-C", tree, "program"}); !done) {
    return fail(done.error());
  }
  return tree / "bin" / file.stem();
}

int become_program(const fs::path& program, std::span<const std::string_view> words) {
  std::vector<std::string> kept{program.string()};
  kept.insert(kept.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : kept) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return command_fault("run",
                       fmt::format("cannot start {}: {}", program.string(), std::strerror(errno)));
}

struct Source {
  fs::path file;
  std::string text;
};

/// Reads a source. A script that begins with "#!" may have any name.
///
/// errors  why it is not a source
Result<Source, std::string> read_source(std::string_view name) {
  constexpr std::array<std::string_view, 4> kEndings = {".cc", ".cpp", ".cxx", ".C"};
  std::error_code absent;
  Source read{fs::canonical(name, absent), {}};
  if (absent) {
    return fail(absent.message());
  }
  constexpr std::string_view kNotForCmake = ";\"\\$|\n";
  if (const std::size_t at = read.file.string().find_first_of(kNotForCmake);
      at != std::string::npos) {
    return fail(
        fmt::format("its path has the character {}, which CMake cannot use. Rename the "
                    "file or its folder",
                    read.file.string()[at] == '\n' ? "newline" : read.file.string().substr(at, 1)));
  }
  if (!fs::is_regular_file(read.file)) {
    return fail(std::string(fs::is_directory(read.file) ? "is a directory" : "is not a file"));
  }
  read.text = read_text_file(read.file).value_or("");
  if (read.text.empty()) {
    return fail(std::string(fs::is_empty(read.file) ? "is empty" : "cannot be read"));
  }
  const std::string ending = read.file.extension().string();
  if (!read.text.starts_with("#!") && std::ranges::find(kEndings, ending) == kEndings.end()) {
    return fail(
        fmt::format("does not have one of the file name extensions {}", fmt::join(kEndings, ", ")));
  }
  return read;
}

}  // namespace

std::set<std::string> components_of(std::string_view source) {
  constexpr std::string_view kMark = "<eider/";
  std::set<std::string> found;
  for (std::size_t at = source.find(kMark); at != source.npos; at = source.find(kMark, at + 1)) {
    const std::string_view header = source.substr(at + kMark.size());
    const std::string entry = fmt::format(" {}=", header.substr(0, header.find(".h>")));
    const std::size_t place = kComponentsOfHeaders.find(entry);
    if (place != kComponentsOfHeaders.npos) {
      const std::string_view component = kComponentsOfHeaders.substr(place + entry.size());
      found.emplace(component.substr(0, component.find(' ')));
    }
  }
  found.erase("core");  // every program links it
  return found;
}

int run_file(std::span<const std::string_view> words) {
  if (!words.empty() && (words.front() == "--help" || words.front() == "-h")) {
    fmt::print("{}", kRunHelp);
    return kCommandDone;
  }
  if (words.empty() || words.front().starts_with('-')) {
    print_error("eider run: {}. Example: eider run main.cc --port 3000\n",
                words.empty() ? "no source file given" : "put options after the source file");
    return kCommandMisused;
  }
  const auto read = read_source(words.front());
  if (!read) {
    print_error("eider run: {}: {}. A C++ source file is required: eider run main.cc\n",
                words.front(), read.error());
    return kCommandMisused;
  }
  const auto& [file, source] = *read;
  words = words.subspan(words.size() > 1 && words[1] == "--" ? 2 : 1);
  const auto program = build(file, source);
  if (!program && program.error() == kWasStopped) {
    return kCommandStopped;
  }
  if (!program) {
    print_error("eider run: {}\n", program.error());
    if (const auto project = find_project(file.parent_path())) {
      print_error(
          "eider run: {} was compiled alone, without the rest of {}. Use eider dev to run "
          "the whole project\n",
          file.filename().string(), project->root);
    }
    return kCommandFailed;
  }
  return become_program(*program, words);
}

}  // namespace eider::dev
