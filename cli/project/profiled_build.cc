#include "cli/project/profiled_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "cli/bench/requests.h"
#include "cli/bench/run.h"
#include "cli/bench/target.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/project/served_program.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTrainingTime(3);
/// Maximum time of one measurement, which has as many requests as take about half a second.
constexpr std::chrono::seconds kRoundTime(10);
constexpr int kRounds = 5;
constexpr unsigned kConnections = 16;
constexpr std::uint64_t kRequestsMin = 100;

StepEnd step_failed(std::string why) {
  return {kCommandFailed, std::move(why)};
}

/// State that the steps share.
class Profiling {
 public:
  explicit Profiling(const ProfiledBuild& wanted)
      : wanted_(wanted),
        plain_{wanted.project, "release"},
        profiled_{wanted.project, "release", ProgramCall::Output::shown, "pgo"},
        place_(profiled_.directory() + "/profile") {}
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;
  /// Deletes an instrumented program after a failure: it is slow and writes files, and must not be
  /// mistaken for the result.
  ~Profiling() {
    std::error_code ignored;
    if (!is_done_ && !profiled_program_.empty()) {
      fs::remove(profiled_program_, ignored);
    }
  }

  StepEnd go() {
    using Step = StepEnd (Profiling::*)();
    for (const Step step : {&Profiling::check_load, &Profiling::build_plain, &Profiling::find_tools,
                            &Profiling::build_counting, &Profiling::train, &Profiling::gather,
                            &Profiling::build_profiled, &Profiling::measure}) {
      if (StepEnd end = (this->*step)(); !end.is_good()) {
        return end;
      }
    }
    return {};
  }

 private:
  StepEnd check_load();
  StepEnd build_plain();
  StepEnd find_tools();
  StepEnd build_counting();
  StepEnd train();
  StepEnd gather();
  StepEnd build_profiled();
  StepEnd measure();

  StepEnd find_profdata(const std::string& version);
  [[nodiscard]] std::vector<std::string> files_ending(
      std::initializer_list<std::string_view> endings) const;
  StepEnd prepare_folder();
  StepEnd build_with(ProfileStage stage);
  StepEnd put_load(const ServedProgram& program, Duration duration, std::uint64_t requests);
  StepEnd cost_of(const std::string& program, double& cost_us);
  [[nodiscard]] ServedCall call_of(const std::string& program) const;
  [[nodiscard]] std::string profile() const { return place_ + "/program.profdata"; }
  [[nodiscard]] std::string shown(const std::string& path) const {
    return fs::path(path).lexically_proximate(fs::current_path()).string();
  }

  const ProfiledBuild& wanted_;
  Build plain_;
  Build profiled_;
  std::string place_;
  std::string compiler_;
  bool is_clang_ = false;
  std::string profdata_;
  std::string plain_program_;
  std::string profiled_program_;
  bench::Outcome outcome_;
  std::uint64_t trained_ = 0;
  bool is_done_ = false;
};

/// Before the compilation, which takes minutes.
StepEnd Profiling::check_load() {
  if (!fs::exists(wanted_.load)) {
    return step_failed(fmt::format(
        "{0} does not exist. Write typical requests into it, one per line, or use another file "
        "with --load FILE\n\n  GET /notes/1\n  {{\"path\": \"/notes\", \"body\": {{\"title\": "
        "\"Milk\"}}}}\n\nsee --requests-file in eider bench --help",
        shown(wanted_.load)));
  }
  const auto text = read_text_file(wanted_.load);
  if (!text) {
    return step_failed(text.error());
  }
  const auto requests = bench::read_requests(*text, {.authority = "127.0.0.1"}, {});
  return requests ? StepEnd{}
                  : step_failed(fmt::format("{}: {}", shown(wanted_.load), requests.error()));
}

StepEnd Profiling::build_plain() {
  if (StepEnd built = build_project(plain_, wanted_.project.name); !built.is_good()) {
    return built;
  }
  const auto program = program_of(plain_);
  if (!program) {
    return step_failed(
        fmt::format("{} has no program called {}. Name the program, as in eider build NAME --pgo",
                    shown(plain_.directory()), wanted_.project.name));
  }
  plain_program_ = *program;
  return {};
}

StepEnd Profiling::find_tools() {
  compiler_ = cached_value(plain_, "CMAKE_CXX_COMPILER");
  const auto said = run_quietly({compiler_, "--version"});
  const auto number = run_quietly({compiler_, "-dumpversion"});
  if (!said || !number) {
    return step_failed(said ? number.error() : said.error());
  }
  is_clang_ = said->contains("clang");
  const std::string version = number->substr(0, number->find_first_of(".\n"));
  if (StepEnd ready = prepare_folder(); !ready.is_good()) {
    return ready;
  }
  std::vector<std::string> words = {compiler_, place_ + "/empty.cc", "-o", place_ + "/empty"};
  std::ranges::copy(profile_flags(ProfileStage::counts, is_clang_, {}), std::back_inserter(words));
  if (const auto linked = run_quietly(words); !linked) {
    return step_failed(
        fmt::format("{} cannot build an instrumented program{}:\n{}", compiler_,
                    is_clang_ ? fmt::format(" (apt install libclang-rt-{}-dev)", version) : "",
                    linked.error()));
  }
  return is_clang_ ? find_profdata(version) : StepEnd{};
}

/// The version must match the compiler's, because each version has its own profile format.
StepEnd Profiling::find_profdata(const std::string& version) {
  const auto beside = run_quietly({compiler_, "--print-prog-name=llvm-profdata"});
  const std::string found = beside ? beside->substr(0, beside->find('\n')) : std::string();
  const std::string numbered = "llvm-profdata-" + version;
  profdata_ = found.contains('/') ? found : numbered;
  if (!find_program(profdata_).empty()) {
    return {};
  }
  return step_failed(
      fmt::format("{0} is missing, which reads profiles of {1}: apt install llvm-{2}, or use g++ "
                  "(CXX=g++, without {3})",
                  numbered, compiler_, version, shown(plain_.directory())));
}

/// Returns the files in the build folder with one of these extensions.
std::vector<std::string> Profiling::files_ending(
    std::initializer_list<std::string_view> endings) const {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::recursive_directory_iterator at(profiled_.directory(), error), end; !error && at != end;
       at.increment(error)) {
    if (std::ranges::find(endings, at->path().extension().string()) != endings.end()) {
      found.push_back(at->path().string());
    }
  }
  return found;
}

/// Removes files of another compiler or an earlier run.
StepEnd Profiling::prepare_folder() {
  std::error_code ignored;
  if (const std::string before = cached_value(profiled_, "CMAKE_CXX_COMPILER");
      before != compiler_) {
    fs::remove_all(profiled_.directory(), ignored);
  }
  std::error_code error;
  fs::create_directories(place_, error);
  if (error) {
    return step_failed(fmt::format("cannot create {}: {}", place_, error.message()));
  }
  for (const std::string& old : files_ending({".gcda", ".profraw", ".profdata"})) {
    fs::remove(old, ignored);
  }
  const auto written = write_text_file(place_ + "/empty.cc", "int main() {}\n");
  return written ? StepEnd{} : step_failed(written.error());
}

StepEnd Profiling::build_with(ProfileStage stage) {
  std::string compiling;
  std::string linking;
  for (const std::string& flag : profile_flags(stage, is_clang_, profile())) {
    // The C compiler may be a different one.
    compiling += fmt::format(" \"$<$<COMPILE_LANGUAGE:CXX>:{}>\"", flag);
    linking += fmt::format(" \"{}\"", flag);
  }
  // Written only if it changed: CMake would run again, and everything would be recompiled.
  const std::string file = place_ + "/flags.cmake";
  const auto written =
      write_if_new(file, fmt::format("# Written by eider build --pgo.\nadd_compile_options({})\n"
                                     "add_link_options({})\n",
                                     compiling, linking));
  if (!written) {
    return step_failed(written.error());
  }
  profiled_.definitions = {"CMAKE_PROJECT_INCLUDE=" + file, "CMAKE_CXX_COMPILER=" + compiler_,
                           "BUILD_TESTING=OFF"};
  return build_project(profiled_, wanted_.project.name);
}

StepEnd Profiling::build_counting() {
  if (StepEnd built = build_with(ProfileStage::counts); !built.is_good()) {
    return built;
  }
  const auto program = program_of(profiled_);
  if (!program) {
    return step_failed(program.error());
  }
  profiled_program_ = *program;
  return {};
}

ServedCall Profiling::call_of(const std::string& program) const {
  ServedCall call{.words = {program},
                  .directory = wanted_.project.root,
                  // One file for all processes, also forked ones.
                  .environment = {{"LLVM_PROFILE_FILE", place_ + "/%m.profraw"}}};
  std::ranges::copy(wanted_.options, std::back_inserter(call.words));
  return call;
}

/// Sends this number of requests, or as many as possible if it is 0. The result is in `outcome_`.
StepEnd Profiling::put_load(const ServedProgram& program, Duration duration,
                            std::uint64_t requests) try {
  bench::Options options;
  options.url = program.url();
  options.duration = duration;
  options.requests = requests;
  options.connections = kConnections;
  options.requests_file = wanted_.load;
  options.progress = bench::Progress::none;
  const auto target = bench::find_target(options);
  if (!target) {
    return step_failed(target.error());
  }
  const auto load = bench::make_requests(options, {.authority = target->authority}, {});
  if (!load) {
    return step_failed(load.error());
  }
  auto outcome = bench::run(options, *target, *load);
  if (!outcome) {
    return step_failed(outcome.error());
  }
  outcome_ = std::move(*outcome);
  if (outcome_.is_interrupted) {
    return {kCommandStopped};
  }
  if (outcome_.answered == 0) {
    return step_failed(fmt::format("no request of {} got a response: {}", shown(wanted_.load),
                                   outcome_.faults.first()));
  }
  return {};
} catch (const std::exception& failure) {
  return step_failed(failure.what());
}

StepEnd Profiling::train() {
  fmt::print("under the load of {} for {} s\n", shown(wanted_.load), kTrainingTime.count());
  (void)std::fflush(stdout);  // so that it appears immediately
  ServedProgram program;
  if (StepEnd started = program.start(call_of(profiled_program_)); !started.is_good()) {
    return started;
  }
  const StepEnd put = put_load(program, kTrainingTime, 0);
  // If the program has ended, its own error is more helpful than the error of the requests.
  StepEnd stopped = put.status == kCommandStopped ? put : program.stop();
  if (!stopped.is_good() || !put.is_good()) {
    return stopped.is_good() ? put : stopped;
  }
  trained_ = outcome_.answered;
  const std::uint64_t good = outcome_.statuses[2] + outcome_.statuses[3];
  if (good == 0) {
    return step_failed(
        fmt::format("all {1} responses to {0} were 4xx or 5xx. Correct the requests, or the data "
                    "that they need",
                    shown(wanted_.load), trained_));
  }
  fmt::print("{} requests got a response, {} of them 4xx or 5xx\n", trained_, trained_ - good);
  if (outcome_.faults.count() != 0) {
    fmt::print("{} got none: {}\n", outcome_.faults.count(), outcome_.faults.first());
  }
  return {};
}

StepEnd Profiling::gather() {
  const std::vector<std::string> raw = files_ending({is_clang_ ? ".profraw" : ".gcda"});
  if (raw.empty()) {
    return step_failed(fmt::format(
        "{} wrote no profile. It must return from main or call exit(), not _exit() or abort()",
        shown(profiled_program_)));
  }
  if (!is_clang_) {
    return {};
  }
  std::vector<std::string> words = {profdata_, "merge", "-o", profile()};
  words.insert(words.end(), raw.begin(), raw.end());
  const auto merged = run_quietly(words);
  return merged ? StepEnd{}
                : step_failed(
                      fmt::format("{} cannot read the profile:\n{}", profdata_, merged.error()));
}

StepEnd Profiling::build_profiled() {
  StepEnd built = build_with(ProfileStage::is_counted);
  is_done_ = built.is_good();
  return built;
}

StepEnd Profiling::cost_of(const std::string& program, double& cost_us) {
  ServedProgram served;
  if (StepEnd started = served.start(call_of(program)); !started.is_good()) {
    return started;
  }
  constexpr auto kRoundsOfTraining =
      static_cast<std::uint64_t>(kTrainingTime / std::chrono::milliseconds(500));
  const std::uint64_t requests = std::max(kRequestsMin, trained_ / kRoundsOfTraining);
  // Warm up first: the first requests are more expensive (new memory, files to read).
  StepEnd put = put_load(served, kRoundTime, requests / 4);
  const auto before = served.processor_time();
  if (put.is_good()) {
    put = put_load(served, kRoundTime, requests);
  }
  const std::chrono::duration<double, std::micro> used = served.processor_time() - before;
  if (!put.is_good()) {
    return put;
  }
  cost_us = used.count() / static_cast<double>(outcome_.answered);
  return served.stop();
}

StepEnd Profiling::measure() {
  fmt::print("built {}; comparing it with {}\n", shown(profiled_program_), shown(plain_program_));
  (void)std::fflush(stdout);
  std::vector<CostRound> rounds(kRounds);
  for (CostRound& round : rounds) {
    if (StepEnd end = cost_of(plain_program_, round.plain_us); !end.is_good()) {
      return end;
    }
    if (StepEnd end = cost_of(profiled_program_, round.profiled_us); !end.is_good()) {
      return end;
    }
  }
  fmt::print("{}\n", told_gain(std::move(rounds)));
  if (!cached_value(profiled_, "eider_DIR").empty()) {
    fmt::print(
        "The profile was used for the project and for the headers of eider; the installed library "
        "is unchanged.\n");
  }
  return {};
}

}  // namespace

StepEnd build_by_profile(const ProfiledBuild& wanted) {
  return Profiling(wanted).go();
}

std::vector<std::string> profile_flags(ProfileStage stage, bool is_clang, const std::string& file) {
  if (stage == ProfileStage::counts) {
    // With atomic counters, because several threads count.
    return {"-fprofile-generate", "-fprofile-update=prefer-atomic"};
  }
  if (is_clang) {
    // Code that the load has not executed is not an error.
    return {"-fprofile-use=" + file, "-Wno-profile-instr-unprofiled",
            "-Wno-profile-instr-out-of-date"};
  }
  return {"-fprofile-use", "-fprofile-partial-training", "-Wno-missing-profile"};
}

std::string told_gain(std::vector<CostRound> rounds) {
  const auto ratio = [](const CostRound& round) { return round.profiled_us / round.plain_us; };
  std::ranges::sort(rounds, {}, ratio);
  const CostRound& middle = rounds[rounds.size() / 2];
  const bool is_told_apart = ratio(rounds.front()) > 1 || ratio(rounds.back()) < 1;
  return fmt::format(
      "A request costs {:.2f} of the CPU time in build/release ({:.2f} to {:.2f} in {} rounds): "
      "{:.1f} µs instead of {:.1f}{}",
      ratio(middle), ratio(rounds.front()), ratio(rounds.back()), rounds.size(), middle.profiled_us,
      middle.plain_us, is_told_apart ? "" : ". The difference is not significant in these rounds");
}

}  // namespace eider
