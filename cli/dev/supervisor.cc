#include "cli/dev/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "cli/dev/diagnostics.h"
#include "cli/dev/fault_page.h"
#include "cli/dev/sockets.h"
#include "cli/process/run.h"
#include "cli/project/words.h"

namespace eider::dev {

namespace {

using std::chrono::milliseconds;

/// Time after the last change: editors and checkouts write several files.
constexpr milliseconds kSettle{25};
constexpr milliseconds kSettleMax{500};
constexpr milliseconds kLeaveWithin{2500};
/// A program that has not reported readiness by then hangs, or does not use App::serve.
constexpr milliseconds kReadyWithin{5000};
constexpr milliseconds kLookAtStartEvery{200};
constexpr milliseconds kEndWithin{3000};
constexpr milliseconds kHelpWithin{3000};
constexpr std::size_t kSaidBytesMax = 64UL * 1024;

std::string seconds(std::chrono::steady_clock::duration time) {
  return fmt::format("{:.2f} s", std::chrono::duration<double>(time).count());
}

std::filesystem::file_time_type made_when(const std::filesystem::path& file) {
  std::error_code absent;
  return std::filesystem::last_write_time(file, absent);
}

/// Returns the output without the line with the internal address, which users should not open.
std::string shown(std::string_view said) {
  const std::size_t at = said.find("Eider serves on http://127.0.0.1:");
  if (at == said.npos) {
    return std::string(said);
  }
  const std::size_t begin = said.rfind('\n', at);
  const std::size_t end = said.find('\n', at);
  std::string rest(said.substr(0, begin == said.npos ? 0 : begin + 1));
  return end == said.npos ? rest : rest.append(said.substr(end + 1));
}

/// Returns where the kernel has its first thread, and its last output: ", in hrtimer_nanosleep;
/// last output: shop.db is locked".
std::string what_it_is_at(pid_t pid, std::string_view said) {
  std::string where;
  std::ifstream file(fmt::format("/proc/{}/wchan", pid));
  std::getline(file, where);
  std::string told = where.empty() || where == "0" ? ", computing" : ", in " + where;
  while (said.ends_with('\n')) {
    said.remove_suffix(1);
  }
  said.remove_prefix(said.rfind('\n') + 1);  // npos + 1 is 0
  return said.empty() ? told : fmt::format("{}; last output: {}", told, said);
}

std::string how_ended(const Ending& how) {
  return how.signal != 0
             ? fmt::format("The program crashed: {} ({})", ::strsignal(how.signal), how.signal)
             : fmt::format("The program exited with status {}", how.code);
}

}  // namespace

Result<Supervisor, std::string> Supervisor::make(SupervisorOptions options, DevState& state) {
  auto watch = SourceWatch::open(options.tree.source, options.tree.build);
  if (!watch) {
    return fail(watch.error());
  }
  Supervisor made(state);
  made.options_ = std::move(options);
  made.watch_.emplace(std::move(*watch));
  made.includes_.emplace(made.options_.tree.source, made.options_.tree.build);
  made.wake_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  made.notify_name_ = name_for_notices();
  made.notices_ = listen_for_notices(made.notify_name_);
  return made;
}

void Supervisor::say(const std::string& line) const {
  print_error("eider dev: {}\n", line);
}

void Supervisor::stop() const noexcept {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

void Supervisor::run() {
  begin_build();
  for (std::uint64_t stopped = 0; ::read(wake_.get(), &stopped, sizeof(stopped)) < 0;) {
    wait();
    take_changes();
    hear_builder();
    hear_notice();
    hear_program();
    check_deadlines();
    begin_check();
  }
  end_all();
}

void Supervisor::wait() {
  std::array<pollfd, 7> waited{
      pollfd{wake_.get(), POLLIN, 0},        pollfd{watch_->fd(), POLLIN, 0},
      pollfd{builder_.exit_fd(), POLLIN, 0}, pollfd{builder_.output_fd(), POLLIN, 0},
      pollfd{program_.exit_fd(), POLLIN, 0}, pollfd{program_.output_fd(), POLLIN, 0},
      pollfd{notices_.get(), POLLIN, 0}};
  (void)::poll(waited.data(), waited.size(), patience());
}

/// Returns the milliseconds until the nearest deadline; -1: there is none.
int Supervisor::patience() const {
  std::optional<Clock::time_point> nearest;
  if (pending_ != ChangeKind::none) {
    nearest = std::min(changed_last_ + kSettle, changed_first_ + kSettleMax);
  }
  if (run_ == Run::starting || run_ == Run::leaving) {
    nearest = nearest ? std::min(*nearest, program_deadline_) : program_deadline_;
  }
  if (!nearest) {
    return -1;
  }
  const auto left = std::chrono::ceil<milliseconds>(*nearest - Clock::now()).count();
  return static_cast<int>(std::max<milliseconds::rep>(left, 0));
}

void Supervisor::take_changes() {
  const ChangeKind kind = kind_of(watch_->read());
  if (kind == ChangeKind::none) {
    return;
  }
  changed_last_ = Clock::now();
  if (pending_ == ChangeKind::none) {
    changed_first_ = changed_last_;
  }
  pending_ = std::max(pending_, kind);
  if (pending_ >= ChangeKind::setting) {
    state_->set_busy();  // new requests wait for the new program
  }
}

void Supervisor::act_on_changes() {
  const ChangeKind kind = std::exchange(pending_, ChangeKind::none);
  const bool is_seen_at_once = kind <= ChangeKind::page && has_development_.value_or(false) &&
                               run_ == Run::serving && !is_building() &&
                               state_->phase() == Phase::serving;
  if (!is_seen_at_once) {
    built_for_ = is_building() ? std::max(built_for_, kind) : kind;
    begin_build();
  } else if (kind == ChangeKind::style) {
    state_->set_restyled();
  } else {
    state_->set_changed();
  }
}

/// Replaces a running build, which has read outdated files.
void Supervisor::begin_build() {
  state_->set_busy();
  build_began_ = Clock::now();
  if (target_ && std::filesystem::exists(options_.tree.build / "build.ninja")) {
    begin_job(Job::build, {options_.toolchain.ninja, "-C", options_.tree.build, target_->name});
    return;
  }
  if (auto written = write_additions(options_.tree.build); !written) {
    say(written.error());
  }
  ask_for_targets(options_.tree.build);
  say("configures " + options_.tree.build.string());
  begin_job(Job::configure, configure_words(options_.toolchain, options_.tree));
}

void Supervisor::begin_job(Job job, std::vector<std::string> words) {
  builder_ = ChildProcess();
  said_.clear();
  // The processes of the previous build have ended, so none of them overwrites new files.
  auto started = ChildProcess::start(
      {.words = std::move(words), .output = ProgramCall::Output::kept_with_errors});
  if (!started) {
    said_ = started.error();
    job_ = Job::none;
    break_build("The build cannot start");
    return;
  }
  builder_ = std::move(*started);
  job_ = job;
}

void Supervisor::hear_builder() {
  if (job_ == Job::none) {
    return;
  }
  said_ += builder_.read_output();
  keep_end(said_, kOutputBytesMax);
  const auto ended = builder_.reap();
  if (!ended) {
    return;
  }
  said_ += builder_.read_output();
  const Job job = std::exchange(job_, Job::none);
  if (job == Job::configure) {
    on_configured(ended->is_good());
  } else if (job == Job::build) {
    on_built(ended->is_good());
  } else {
    on_checked(ended->is_good());
  }
}

void Supervisor::on_configured(bool is_good) {
  if (!is_good) {
    break_build("CMake failed");
    return;
  }
  auto chosen = choose_target(read_targets(options_.tree.build), options_.target, options_.name);
  if (!chosen) {
    said_ = chosen.error();
    break_build("No program selected");
    return;
  }
  target_ = std::move(*chosen);
  say("builds " + target_->name);
  begin_job(Job::build, {options_.toolchain.ninja, "-C", options_.tree.build, target_->name});
}

void Supervisor::break_build(const char* title) {
  Fault fault{.title = title,
              .diagnostics = read_diagnostics(said_, options_.tree.source.string()),
              .output = said_};
  const bool is_clear = !fault.diagnostics.empty();
  print_error("\n{}{}\n", fault_text(fault), is_clear ? "" : "\n" + said_);
  state_->set_broken(std::move(fault));
  is_build_broken_ = true;
}

void Supervisor::on_built(bool is_good) {
  if (!is_good) {
    break_build("The build failed");
    return;
  }
  if (said_.contains(": warning: ")) {
    print_error("{}", said_);
  }
  is_check_due_ = true;
  const bool is_new = made_when(target_->file) != program_made_;
  if (is_new || run_ != Run::serving || built_for_ == ChangeKind::setting) {
    restart();
  } else if (is_build_broken_) {
    on_ready();
  } else if (built_for_ != ChangeKind::source) {
    state_->set_changed();
  } else {
    state_->set_serving();
  }
}

/// Compiles the next source without the additional precompiled headers. Only while the program
/// serves and there is nothing else to do, because it uses a processor for seconds.
void Supervisor::begin_check() {
  if (!is_check_due_ || job_ != Job::none || run_ != Run::serving || pending_ != ChangeKind::none) {
    return;
  }
  std::vector<std::string> words = includes_->next();
  if (words.empty()) {
    is_check_due_ = false;
    return;
  }
  begin_job(Job::check, std::move(words));
}

void Supervisor::on_checked(bool is_good) {
  includes_->note(is_good);
  if (is_good) {
    return;
  }
  const Fault fault{.title = fmt::format("{} lacks an #include: it compiles here because of "
                                         "precompiled headers, but not with eider build",
                                         includes_->file()),
                    .diagnostics = read_diagnostics(said_, options_.tree.source.string()),
                    .output = said_};
  print_error("\n{}\n", fault_text(fault));
}

void Supervisor::restart() {
  if (run_ == Run::none) {
    start_program();
  } else if (run_ != Run::leaving) {
    program_.signal(SIGTERM);
    run_ = Run::leaving;
    program_deadline_ = Clock::now() + kLeaveWithin;
  }
}

bool Supervisor::understands_development() const {
  const auto help = run_to_end({.words = {target_->file, "--help"},
                                .directory = options_.tree.source,
                                .output = ProgramCall::Output::kept_with_errors},
                               kHelpWithin);
  return help && help->is_good() && help->output.contains("--development");
}

void Supervisor::start_program() {
  program_made_ = made_when(target_->file);
  if (!has_development_) {
    has_development_ = understands_development();
  }
  ProgramCall asked{.words = {target_->file},
                    .directory = options_.tree.source,
                    .environment = {{"EIDER_LISTEN", "systemd"},
                                    {"EIDER_DRAIN_SECONDS", "1"},
                                    {"EIDER_LOG_FORMAT", "text"},
                                    {"NOTIFY_SOCKET", "@" + notify_name_}},
                    .output = ProgramCall::Output::kept_with_errors,
                    .listens_on = options_.listener.get()};
  asked.environment.insert(asked.environment.end(), options_.environment.begin(),
                           options_.environment.end());
  if (std::getenv("EIDER_LOG_STUCK_SECONDS") == nullptr) {
    // Makes handlers that block the event loop visible during development, not only under load.
    asked.environment.emplace_back("EIDER_LOG_STUCK_SECONDS", "1");
  }
  if (*has_development_ &&
      std::ranges::find(options_.words, "--development") == options_.words.end()) {
    asked.words.emplace_back("--development");
  }
  asked.words.insert(asked.words.end(), options_.words.begin(), options_.words.end());
  program_said_.clear();
  auto started = ChildProcess::start(asked);
  if (!started) {
    state_->set_broken({.title = started.error(), .diagnostics = {}, .output = {}});
    return;
  }
  program_ = std::move(*started);
  run_ = Run::starting;
  program_began_ = Clock::now();
  program_deadline_ = program_began_ + kReadyWithin;
  told_after_ = std::chrono::ceil<std::chrono::seconds>(kReadyWithin);
}

void Supervisor::hear_notice() {
  if (is_told_ready(notices_) && run_ == Run::starting) {
    on_ready();
  }
}

/// The program has not reported readiness. If it accepts a connection, it is ready, too.
void Supervisor::look_at_start() {
  const bool is_asked = probe_.is_open();
  if (is_asked && is_accepted_from(options_.listener)) {
    on_ready();
    return;
  }
  if (!is_asked) {
    probe_ = connect_to(options_.listener);
  }
  const auto now = Clock::now();
  program_deadline_ = now + kLookAtStartEvery;
  if (is_asked && now - program_began_ >= told_after_) {
    say(fmt::format("still starting ({} s){}", told_after_.count(),
                    what_it_is_at(program_.pid(), program_said_)));
    told_after_ *= 2;
  }
}

void Supervisor::on_ready() {
  probe_ = Descriptor();
  run_ = Run::serving;
  if (!is_building() && pending_ < ChangeKind::setting) {
    say("ready in " + seconds(Clock::now() - build_began_));
    state_->set_changed();
    is_build_broken_ = false;
  }
}

void Supervisor::hear_program() {
  if (run_ == Run::none) {
    return;
  }
  std::string said = program_.read_output();
  const auto ended = program_.reap();
  if (ended) {
    said += program_.read_output();
  }
  program_said_ += said;
  keep_end(program_said_, kSaidBytesMax);
  fmt::print("{}", shown(said));
  (void)std::fflush(stdout);
  if (ended) {
    on_ended(*ended);
  }
}

void Supervisor::on_ended(const Ending& how) {
  const Run before = std::exchange(run_, Run::none);
  probe_ = Descriptor();
  if (is_building() || pending_ != ChangeKind::none) {
    return;  // the build restarts it
  }
  if (before == Run::leaving) {
    start_program();
    return;
  }
  const std::string stack = read_stack(program_said_, target_->file);
  Fault fault{.title = how_ended(how),
              .diagnostics = {},
              .output = (stack.empty() ? "" : "The stack, innermost first:\n" + stack + "\n") +
                        without_stack(program_said_)};
  print_error("\n{}{}\n", fault_text(fault), stack);
  state_->set_broken(std::move(fault));
}

void Supervisor::check_deadlines() {
  const auto now = Clock::now();
  if (pending_ != ChangeKind::none &&
      (now >= changed_last_ + kSettle || now >= changed_first_ + kSettleMax)) {
    act_on_changes();
  }
  if (run_ == Run::leaving && now >= program_deadline_) {
    say("the program did not stop after SIGTERM and was killed");
    program_.signal(SIGKILL);
    program_deadline_ = now + kLeaveWithin;
  } else if (run_ == Run::starting && now >= program_deadline_) {
    look_at_start();
  }
}

void Supervisor::end_all() {
  builder_.signal(SIGTERM);
  program_.signal(SIGTERM);
  const auto deadline = Clock::now() + kEndWithin;
  while ((run_ != Run::none || job_ != Job::none) && Clock::now() < deadline) {
    std::array<pollfd, 2> waited{pollfd{builder_.exit_fd(), POLLIN, 0},
                                 pollfd{program_.exit_fd(), POLLIN, 0}};
    (void)::poll(waited.data(), waited.size(), 100);
    fmt::print("{}", program_.read_output());
    if (program_.reap()) {
      run_ = Run::none;
    }
    if (builder_.reap()) {
      job_ = Job::none;
    }
  }
  builder_ = ChildProcess();
  program_ = ChildProcess();
}

}  // namespace eider::dev
