#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/files.h"
#include "cli/json_line.h"
#include "cli/project/profiled_build.h"
#include "cli/project/project.h"
#include "cli/project/routes.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBuildHelp = R"(eider build [TARGET] [--debug | --pgo] [-- OPTION …]

Builds the project, optimized and hardened, in build/release.

--debug        Build quickly, without optimization, in build/dev, as eider test does
--pgo          Use profile-guided optimization: run an instrumented build (build/pgo/NAME) under a
               load, compile it again with the profile, and compare it with build/release/NAME.
               TARGET is the program
--load FILE    Requests for --pgo, in the format of eider bench --requests-file
               (default: load/requests.txt)
-- OPTION …    Options of the program that --pgo runs
--project DIR  Project folder (default: the nearest one, here or above)

  eider build && ./build/release/shop --help
  eider build --pgo -- --database-file /tmp/shop.db

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

constexpr std::string_view kTestHelp = R"(eider test [FILTER] [--watch] [-- OPTION …]

Builds the project in build/dev and runs its tests with ctest.

FILTER         Regular expression: run only the tests with matching names
--watch        Run the tests again whenever a source is saved, until Ctrl-C
--preset NAME  CMake preset of the build (default: dev)
--project DIR  Project folder (default: the nearest one, here or above)
-- OPTION …    Options for ctest

  eider test
  eider test Notes --watch
  eider test -- --repeat until-fail:100

Exit codes: 0 all tests pass, 1 build failure, 2 invalid usage, 8 a test fails (as ctest)
)";

constexpr std::string_view kCheckHelp = R"(eider check [FILTER] [--thread]

Runs the tests under AddressSanitizer and UndefinedBehaviorSanitizer, in build/asan.

FILTER         Regular expression: run only the tests with matching names
--thread       Use ThreadSanitizer instead, in build/tsan. The installed library is not
               instrumented, so data that only its locks protect may be reported too
--project DIR  Project folder (default: the nearest one, here or above)

  eider check

Exit codes: 0 no errors, 1 build failure, 2 invalid usage, 8 a test fails (as ctest)
)";

constexpr std::string_view kFmtHelp = R"(eider fmt [--check [--json]] [FILE …]

Formats the project's C++ sources with clang-format.

FILE           File to format (default: all sources that git tracks or would add)
--check        Report files that are not formatted, and change nothing
--json         Write the report of --check as JSON
--project DIR  Project folder (default: the nearest one, here or above)

  eider fmt
  eider fmt --check

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 --check found unformatted files
)";

constexpr std::string_view kRoutesHelp = R"(eider routes [--json] [--program FILE]

Builds the project's program in build/dev and lists its routes: method, path, maximum body size,
middleware, and source line.

--json          Write JSON
--program FILE  List the routes of this program instead, without building it
--project DIR   Project folder (default: the nearest one, here or above)

  eider routes | grep POST
  eider routes --json | jq '.routes[] | select(.middleware | index("csrf") | not)'

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

constexpr std::string_view kDocumentHelp = R"(eider openapi document [--out FILE] [--program FILE]

Builds the project's program in build/dev and prints its OpenAPI document (--openapi).

--out FILE      Write to FILE (default: standard output)
--program FILE  Print the document of this program instead, without building it
--project DIR   Project folder (default: the nearest one, here or above)

  eider openapi document --out openapi.json

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

struct TestsWanted {
  std::string_view command;
  std::string preset;
  std::optional<std::string> filter{};
  std::vector<std::string> options{};
};

/// Builds, and runs the tests; returns the exit code.
int run_tests(const Project& project, const TestsWanted& wanted) {
  const Build build{project, wanted.preset};
  if (const StepEnd built = build_project(build); !built.is_good()) {
    return told_end(wanted.command, built);
  }
  std::vector<std::string> words = {"ctest", "--test-dir", build.directory(), "--output-on-failure",
                                    "--no-tests=error"};
  if (wanted.filter) {
    words.insert(words.end(), {"-R", *wanted.filter});
  }
  words.insert(words.end(), wanted.options.begin(), wanted.options.end());
  const auto end = run_program({.words = words, .environment = package_environment()});
  if (!end) {
    return command_fault(wanted.command, end.error());
  }
  return end->is_stopped ? kCommandStopped : end->status;
}

/// Returns a value that changes when a source or build file is saved, added or deleted.
std::size_t state_of_sources(const Project& project) {
  std::vector<std::string> files = source_files(project);
  files.push_back(project.root + "/CMakeLists.txt");
  std::size_t state = files.size();
  for (const std::string& file : files) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed).time_since_epoch().count();
    state = state * 31 + static_cast<std::size_t>(time) + std::hash<std::string>()(file);
  }
  return state;
}

int watch_tests(const Project& project, const TestsWanted& wanted) {
  constexpr std::chrono::milliseconds kBetween(300);
  // Between two runs, there is no process to end, so exit immediately.
  for (const int stop : {SIGINT, SIGTERM}) {
    (void)std::signal(stop, [](int) { _exit(kCommandStopped); });
  }
  while (true) {
    const std::size_t state = state_of_sources(project);
    if (run_tests(project, wanted) == kCommandStopped) {
      return kCommandStopped;
    }
    fmt::print("\neider test: waiting for a source to be saved (Ctrl-C stops)\n");
    (void)std::fflush(stdout);
    while (state_of_sources(project) == state) {
      if (is_stopped_within(kBetween)) {
        return kCommandStopped;
      }
    }
  }
}

int run_check(const InProject& in, bool is_thread) {
  TestsWanted wanted{.command = "check", .preset = is_thread ? "tsan" : "asan"};
  if (!in.rest.empty()) {
    wanted.filter = in.rest.front();
  }
  return run_tests(in.project, wanted);
}

int profiled_build(const InProject& in, const std::optional<std::string>& load,
                   const std::vector<std::string>& options) {
  ProfiledBuild wanted{.project = in.project,
                       .load = fs::absolute(load.value_or(in.project.root + "/load/requests.txt")),
                       .options = options};
  if (!in.rest.empty()) {
    wanted.project.name = in.rest.front();
  }
  return told_end("build", build_by_profile(wanted));
}

std::string formatter() {
  for (const std::string_view name : {"clang-format-19", "clang-format", "clang-format-21",
                                      "clang-format-20", "clang-format-18"}) {
    if (!find_program(name).empty()) {
      return std::string(name);
    }
  }
  return {};
}

/// Returns the names of those `files` that clang-format would change.
Result<std::vector<std::string>, StepEnd> laid_out_otherwise(
    const std::string& program, const std::vector<std::string>& files) {
  std::vector<std::string> wrong;
  for (const std::string& file : files) {
    const auto end = run_program({.words = {program, "--dry-run", "-Werror", file},
                                  .output = ProgramCall::Output::kept_with_errors});
    if (!end || end->is_stopped) {
      return fail(end ? StepEnd{kCommandStopped} : StepEnd{kCommandFailed, end.error()});
    }
    if (!end->is_good()) {
      wrong.push_back(file);
    }
  }
  return wrong;
}

struct FormatWanted {
  std::vector<std::string> files;
  bool is_check;
  bool is_json;
};

/// The output of --check --json.
///
/// files        number of checked files
/// unformatted  files that clang-format would change, relative to the project
struct LayoutReport {
  std::size_t files;
  std::vector<std::string> unformatted;
};

int check_layout(const Project& project, const std::string& program, const FormatWanted& wanted) {
  const auto wrong = laid_out_otherwise(program, wanted.files);
  if (!wrong) {
    return told_end("fmt", wrong.error());
  }
  LayoutReport report{wanted.files.size(), {}};
  for (const std::string& file : *wrong) {
    report.unformatted.push_back(fs::path(file).lexically_proximate(project.root).string());
  }
  const std::string lines = fmt::format("{}{}", fmt::join(report.unformatted, "\n"),
                                        report.unformatted.empty() ? "" : "\n");
  fmt::print("{}", wanted.is_json ? json_line(report) : lines);
  return wrong->empty()
             ? kCommandDone
             : command_fault("fmt",
                             fmt::format("{} of {} files are not formatted. Run eider fmt",
                                         wrong->size(), wanted.files.size()),
                             kCommandFound);
}

int format_files(const Project& project, const FormatWanted& wanted) {
  const std::string program = formatter();
  if (program.empty()) {
    return command_fault("fmt", "clang-format is missing. Run: apt install clang-format-19");
  }
  if (wanted.files.empty()) {
    return command_fault("fmt", "there are no sources in this project");
  }
  if (wanted.is_check) {
    return check_layout(project, program, wanted);
  }
  std::vector<std::string> words = {program, "-i"};
  words.insert(words.end(), wanted.files.begin(), wanted.files.end());
  const auto end = run_program({.words = words});
  if (!end) {
    return command_fault("fmt", end.error());
  }
  return end->is_stopped ? kCommandStopped : end->is_good() ? kCommandDone : kCommandFailed;
}

/// Builds the program of the project. The output of the build goes to standard error, because
/// standard output is for the program's output.
///
/// errors   the exit code; the message is already printed
Result<std::string, int> built_program(std::string_view command, CommandWords& words) {
  const auto in = in_project(command, words, {}, 0);
  if (!in) {
    return fail(in.error());
  }
  const Build build{in->project, "dev", ProgramCall::Output::as_errors};
  // Without the tests, whose errors do not matter here.
  StepEnd built = build_project(build, in->project.name);
  if (built.is_target_missing) {
    built = build_project(build);
  }
  if (!built.is_good()) {
    return fail(told_end(command, built));
  }
  auto program = program_of(build);
  return program ? Result<std::string, int>(std::move(*program))
                 : fail(command_fault(command, program.error()));
}

struct ProgramAsked {
  std::string_view command;
  std::string word;
  std::string_view mend{};  // fix for a program that does not know the option
};

/// Runs the program with that option, and returns its output. Builds the program unless one is
/// named.
///
/// errors   the exit code; the message is already printed
Result<std::string, int> said_by_program(const ProgramAsked& asked, CommandWords& words) {
  const auto& [command, word, mend] = asked;
  const auto named = words.value("--program", "FILE");
  const auto program = named ? Result<std::string, int>(*named) : built_program(command, words);
  if (!program) {
    return program;
  }
  if (const auto rest = words.rest({}, 0); !rest) {
    return fail(command_misused(command, rest.error()));
  }
  // With its path, so that the named file runs, and not a program in PATH.
  auto end = run_program(
      {.words = {fs::absolute(*program).string(), word}, .output = ProgramCall::Output::kept});
  if (!end || end->is_stopped) {
    return fail(end ? kCommandStopped : command_fault(command, end.error()));
  }
  if (!end->is_good()) {
    return fail(command_fault(
        command, fmt::format("{} {} exited with status {}{}", *program, word, end->status, mend)));
  }
  return std::move(end->output);
}

bool is_openapi_document(const std::string& text) {
  const auto document = json::read<json::Value>(text);
  return document && document->find("openapi") != nullptr;
}

}  // namespace

int build_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kBuildHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_debug = words.flag("--debug");
  (void)words.flag("--release");  // the default
  const bool is_profiled = words.flag("--pgo");
  const auto load = words.value("--load", "FILE");
  const auto in = in_project("build", words, "TARGET", 1);
  if (!in) {
    return in.error();
  }
  if (is_profiled && !is_debug) {
    return profiled_build(*in, load, words.behind());
  }
  if (is_profiled || load || !words.behind().empty()) {
    return command_misused("build", is_profiled ? "--debug and --pgo cannot be combined"
                                                : "--load and options after -- require --pgo");
  }
  const Build build{in->project, is_debug ? "dev" : "release"};
  const StepEnd built = build_project(build, in->rest.empty() ? std::string() : in->rest.front());
  if (built.is_good()) {
    const auto program = program_of(build);
    fmt::print("built {}\n", fs::path(program ? *program : build.directory())
                                 .lexically_proximate(fs::current_path())
                                 .string());
  }
  return told_end("build", built);
}

int test_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kTestHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_watched = words.flag("--watch");
  TestsWanted wanted{.command = "test",
                     .preset = words.value("--preset", "NAME").value_or("dev"),
                     .options = words.behind()};
  const auto in = in_project("test", words, "FILTER", 1);
  if (!in) {
    return in.error();
  }
  if (!in->rest.empty()) {
    wanted.filter = in->rest.front();
  }
  return is_watched ? watch_tests(in->project, wanted) : run_tests(in->project, wanted);
}

int check_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kCheckHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_thread = words.flag("--thread");
  const auto in = in_project("check", words, "FILTER", 1);
  return in ? run_check(*in, is_thread) : in.error();
}

int fmt_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kFmtHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  FormatWanted wanted{
      .files = {}, .is_check = words.flag("--check"), .is_json = words.flag("--json")};
  const auto in = in_project("fmt", words, "FILE …", 100'000);
  if (!in) {
    return in.error();
  }
  if (wanted.is_json && !wanted.is_check) {
    return command_misused("fmt", "--json requires --check");
  }
  for (const std::string& file : in->rest) {
    if (!fs::exists(file)) {
      return command_fault("fmt", fmt::format("{} does not exist", file));
    }
    // clang-format formats any file as C++, and would change the meaning of other texts.
    if (!is_source(file)) {
      return command_fault("fmt", fmt::format("{} is not a C++ source, such as .cc or .h", file));
    }
  }
  wanted.files = in->rest.empty() ? source_files(in->project) : in->rest;
  return format_files(in->project, wanted);
}

int routes_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kRoutesHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_json = words.flag("--json");
  const auto said = said_by_program({"routes", "--routes"}, words);
  if (!said) {
    return said.error();
  }
  const auto listed = read_routes(*said);
  if (!listed && listed.error().empty()) {
    return command_fault(
        "routes",
        "the program listed no routes. It has no routes, or does not use App::run or App::serve");
  }
  if (!listed && is_json) {
    return command_fault("routes", fmt::format("the program printed a line that is not a route: {}",
                                               listed.error()));
  }
  fmt::print("{}", is_json ? json_line(*listed) : *said);
  return kCommandDone;
}

int document_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDocumentHelp)) {
    return kCommandDone;
  }
  constexpr std::string_view kFix = ". Use run_app in main, or call serve_openapi(app)";
  CommandWords words(arguments);
  const std::string out = words.value("--out", "FILE").value_or("-");
  const auto said = said_by_program({"openapi document", "--openapi", kFix}, words);
  if (!said) {
    return said.error();
  }
  if (!is_openapi_document(*said)) {
    return command_fault("openapi document",
                         fmt::format("the program did not print an OpenAPI document{}", kFix));
  }
  const auto written = write_text_file(out, *said);
  return written ? kCommandDone : command_fault("openapi document", written.error());
}

}  // namespace eider
