#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/patterns.h"
#include "cli/project/findings.h"
#include "cli/project/project.h"

namespace eider {

namespace {

struct WantedTool {
  std::string_view what;
  std::array<std::string_view, 3> names;
  std::string_view version_min;  // empty: any
  std::string_view package;
  FindingState without;
  std::string_view why;
  bool is_for_clang = false;
};

constexpr WantedTool kWantedTools[] = {
    {"cmake", {"cmake"}, "3.25", "cmake", FindingState::bad, "configures builds"},
    {"ninja", {"ninja"}, "", "ninja-build", FindingState::bad, "runs builds"},
    {"linker",
     {"mold", "ld.lld-19", "ld.lld"},
     "",
     "mold",
     FindingState::advice,
     "links in a twentieth of a second"},
    {"clang-format",
     {"clang-format-19", "clang-format"},
     "",
     "clang-format-19",
     FindingState::advice,
     "needed by eider fmt"},
    {"llvm-profdata",
     {"llvm-profdata-19", "llvm-profdata"},
     "17",
     "llvm-19",
     FindingState::advice,
     "needed by eider build --pgo",
     true},
    {"git", {"git"}, "", "git", FindingState::advice, "eider fmt skips ignored files"},
    {"pkg-config", {"pkg-config"}, "", "pkg-config", FindingState::bad, "finds libraries"}};

struct WantedLibrary {
  std::string_view module;
  std::string_view version_min;
  std::string_view package;
  std::string_view component;
};

/// The dependencies and recommendations of libeider-dev, with the minimum versions of the
/// components.
constexpr WantedLibrary kWantedLibraries[] = {
    {"simdjson", "", "libsimdjson-dev", "core"},
    {"liburing", "", "liburing-dev", "core with io_uring"},
    {"gtest", "", "libgtest-dev", "tests of a project"},
    {"sqlite3", "3.40", "libsqlite3-dev", "sqlite"},
    {"libpq", "15", "libpq-dev", "postgres"},
    {"libmariadb", "3.3", "libmariadb-dev", "mariadb"},
    {"zlib", "1.2.13", "zlib1g-dev", "compress"},
    {"libbrotlienc", "1.0.9", "libbrotli-dev", "compress"},
    {"libzstd", "1.5.4", "libzstd-dev", "compress"},
    {"openssl", "3.0", "libssl-dev", "tls"},
    {"libnghttp2", "1.52", "libnghttp2-dev", "http2"},
    {"libcares", "1.18", "libc-ares-dev", "net"},
    {"libpsl", "0.21", "libpsl-dev", "client"},
    {"libargon2", "20171227", "libargon2-dev", "passwords"},
    {"libqrencode", "4.1", "libqrencode-dev", "qr"},
    {"icu-i18n", "72", "libicu-dev", "locale"},
    {"libcurl", "7.88", "libcurl4-openssl-dev", "mail"}};

/// Returns the first line of the program's output for that option.
std::string first_line(std::string program, std::string option) {
  const auto end = run_program({.words = {std::move(program), std::move(option)},
                                .output = ProgramCall::Output::kept_with_errors});
  return end ? end->output.substr(0, end->output.find('\n')) : std::string();
}

/// Returns the numbers in a text such as "cmake version 3.25.1".
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  const PatternMatch found = find_pattern(std::string(text), R"((\d+)(?:\.(\d+))?(?:\.(\d+))?)");
  for (std::size_t i = 1; i < found.size() && !found[i].empty(); ++i) {
    numbers.push_back(std::stoi(found[i]));
  }
  return numbers;
}

bool is_clang(std::string_view compiler) {
  return compiler.starts_with("clang");
}

Finding finding_of_compiler() {
  const std::vector<std::string> known = known_compilers();
  if (known.empty()) {
    return {"compiler", FindingState::bad, "none", "apt install clang-19 (or g++ 13 or later)"};
  }
  const std::string& name = known.front();
  const std::string version = first_line(name, "--version");
  const bool is_gcc = name.starts_with("g++") || version.find("clang") == std::string::npos;
  const std::vector<int> numbers = numbers_of(first_line(name, "-dumpfullversion"));
  if (is_gcc && !numbers.empty() && numbers.front() < 13) {
    return {"compiler", FindingState::bad, version,
            "g++ 13 or later is needed: apt install clang-19"};
  }
  return {"compiler", FindingState::good, fmt::format("{}: {}", name, version)};
}

/// Checks the libraries that `eider check` links: in Debian, those of clang are a separate package.
Finding finding_of_sanitizers() {
  const std::vector<std::string> known = known_compilers();
  if (known.empty()) {
    return {"sanitizers", FindingState::advice, "none", "install a compiler first"};
  }
  const std::string& compiler = known.front();
  struct utsname machine{};
  ::uname(&machine);
  for (const std::string_view which : {"asan", "tsan"}) {
    const std::string file = is_clang(compiler)
                                 ? fmt::format("libclang_rt.{}-{}.a", which, machine.machine)
                                 : fmt::format("lib{}.so", which);
    // If the file does not exist, a compiler prints only its name.
    if (!first_line(compiler, "-print-file-name=" + file).starts_with('/')) {
      const std::size_t dash = std::min(compiler.find('-'), compiler.size());
      return {"sanitizers", FindingState::advice, "no " + file,
              is_clang(compiler)
                  ? fmt::format("apt install libclang-rt{}-dev: needed by eider check",
                                compiler.substr(dash))
                  : fmt::format("install lib{} of {}: needed by eider check", which, compiler)};
    }
  }
  return {"sanitizers", FindingState::good, "of " + compiler};
}

Finding finding_of_tool(const WantedTool& wanted) {
  for (const std::string_view name : wanted.names) {
    if (name.empty() || find_program(name).empty()) {
      continue;
    }
    const std::string version = first_line(std::string(name), "--version");
    if (!wanted.version_min.empty() && numbers_of(version) < numbers_of(wanted.version_min)) {
      return {std::string(wanted.what), wanted.without, version,
              fmt::format("{} or later is needed", wanted.version_min)};
    }
    return {std::string(wanted.what), FindingState::good, fmt::format("{}: {}", name, version)};
  }
  return {std::string(wanted.what), wanted.without, "none",
          fmt::format("apt install {}: {}", wanted.package, wanted.why)};
}

Finding finding_of_library(const WantedLibrary& wanted) {
  const std::string name(wanted.module);
  const auto version = run_program({.words = {"pkg-config", "--modversion", name},
                                    .output = ProgramCall::Output::kept_with_errors});
  const bool is_there = version && version->is_good();
  const std::string found =
      is_there ? version->output.substr(0, version->output.find('\n')) : std::string("none");
  // Only advice, because a project needs only the libraries of the components that it uses.
  if (!is_there || numbers_of(found) < numbers_of(wanted.version_min)) {
    return {name, FindingState::advice, found,
            fmt::format("needed by {}{}{}: apt install {}", wanted.component,
                        wanted.version_min.empty() ? "" : ", version ", wanted.version_min,
                        wanted.package)};
  }
  return {name, FindingState::good, found};
}

Finding finding_of_package() {
  const auto environment = package_environment();
  return environment.empty()
             ? Finding{"eider", FindingState::advice, "in a build directory, not installed",
                       "cmake --install BUILD --prefix /usr/local, or set CMAKE_PREFIX_PATH"}
             : Finding{"eider", FindingState::good, "in " + environment.front().second};
}

Finding finding_of_room() {
  constexpr std::uint64_t kMebibyte = 1024UL * 1024;
  constexpr std::uint64_t kRoomMin = 1024 * kMebibyte;
  struct statvfs room{};
  if (statvfs(".", &room) != 0) {
    return {"disk space", FindingState::bad, "this folder was deleted", "change to another folder"};
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  return {"disk space", bytes < kRoomMin ? FindingState::advice : FindingState::good,
          fmt::format("{} MiB", bytes / kMebibyte),
          bytes < kRoomMin ? "a build of each preset needs about 100 MiB" : ""};
}

}  // namespace

std::vector<Finding> findings_of_tools() {
  std::vector<Finding> findings = {finding_of_package(), finding_of_compiler(),
                                   finding_of_sanitizers()};
  const std::vector<std::string> known = known_compilers();
  for (const WantedTool& wanted : kWantedTools) {
    if (!wanted.is_for_clang || (!known.empty() && is_clang(known.front()))) {
      findings.push_back(finding_of_tool(wanted));
    }
  }
  for (const WantedLibrary& wanted : kWantedLibraries) {
    findings.push_back(finding_of_library(wanted));
  }
  findings.push_back(finding_of_room());
  return findings;
}

}  // namespace eider
