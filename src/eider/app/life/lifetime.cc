#include "eider/app/life/lifetime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <random>
#include <utility>

#include "eider/app/route_table.h"
#include "eider/app/service.h"
#include "eider/app/settings/reloading.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/log.h"
#include "eider/core/base/resource_probe.h"
#include "eider/core/base/span.h"
#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {

namespace {

constexpr Duration kPauseMax = std::chrono::minutes(1);
/// A task that has run this long without an error restarts with the shortest delay.
constexpr Duration kWellAfter = std::chrono::minutes(1);

Duration random_part_of(Duration whole) {
  thread_local std::minstd_rand random(std::random_device{}());
  return Duration(std::uniform_int_distribution<Duration::rep>(0, whole.count())(random));
}

/// Returns the next of the times that are `interval` apart. Times that passed during the last call
/// are skipped.
Instant next_due(Instant due, Duration interval, Instant now) {
  due += interval;
  return due >= now ? due : due + ((now - due) / interval + 1) * interval;
}

std::string cannot_start(const std::string& name, const Error& error) {
  using detail::base::CodeName;
  const bool is_unavailable = error.status() == 503;
  return detail::base::with_code(
      is_unavailable ? CodeName("service-unreachable") : CodeName("start-failed"),
      name + " cannot start: " + std::string(reason_of(error)));
}

/// Returns the record of what the work is waiting for. If the app exports spans, each call of a
/// periodic function starts its own trace. Other background tasks have no end, so they get no span.
WorkRef work_of(const detail::app::Part& part, const RouteTable& table) {
  auto* const work = new Work;
  work->method = "background";
  work->route = part.name;
  const auto& given = table.scopes.front().states->given;
  const auto found = given.find(&detail::base::kTypeKey<JobSpans>);
  const auto* const of_jobs =
      found == given.end() ? nullptr : static_cast<const JobSpans*>(found->second.get());
  if (of_jobs != nullptr && of_jobs->sink != nullptr && part.interval != Duration::zero()) {
    const auto& spans = of_jobs->sink;
    work->place = {.trace_high = next_span_id(), .trace_low = next_span_id()};
    work->place.is_sampled = spans->samples(work->place);
    work->spans = spans;
  }
  return WorkRef::to_new(work);
}

}  // namespace

/// Counts the runs of a background task on all event loops, for the state of the process.
class Lifetime::Tally {
 public:
  explicit Tally(std::string name)
      : name_(std::move(name)), resource_probe_([this] { return state(); }) {}

  void note_begun() noexcept {
    began_at_ = std::chrono::steady_clock::now().time_since_epoch().count();
    ++begun_;
    ++running_;
  }
  void note_failed() noexcept { ++failed_; }
  void note_over() noexcept { --running_; }

 private:
  [[nodiscard]] ResourceState state() const {
    const Instant began{Duration(began_at_)};
    const auto ago = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - began);
    ResourceState state{
        .kind = "background",
        .name = name_,
        .numbers = {{"running", running_}, {"started", begun_}, {"failed", failed_}}};
    if (begun_ != 0) {
      state.numbers.emplace("last_started_ms_ago", ago.count());
    }
    return state;
  }

  const std::string name_;
  std::atomic<std::int64_t> running_{0};
  std::atomic<std::int64_t> begun_{0};
  std::atomic<std::int64_t> failed_{0};
  std::atomic<Duration::rep> began_at_{0};
  const ResourceProbe resource_probe_;
};

/// A run, which ends when this object is destroyed, for example because its task is canceled.
class Lifetime::Run : private ListNode {
 public:
  Run(Tally& tally, std::string_view name, const Work& work, IntrusiveList<Run>& others) noexcept
      : tally_(tally), name_(name), work_(work), began_(Loop::current().now()) {
    tally_.note_begun();
    others.push_back(*this);
  }
  ~Run() { tally_.note_over(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void note_failed() noexcept { tally_.note_failed(); }
  [[nodiscard]] BackgroundState state(Instant now) const {
    return {.name = std::string(name_),
            .seconds = detail::server::seconds_of(now - began_),
            .waits_for = detail::server::waits_of(work_, now)};
  }

 private:
  friend class IntrusiveList<Run>;

  Tally& tally_;
  const std::string_view name_;
  const Work& work_;
  const Instant began_;
};

std::vector<BackgroundState> Lifetime::on_this_loop(std::size_t count_max) const {
  std::vector<BackgroundState> all;
  running_.here().look_through([&](const Run& run) {
    all.push_back(run.state(Loop::current().now()));
    return all.size() < count_max;
  });
  return all;
}

void detail::app::check_interval(Duration interval) {
  if (interval < std::chrono::milliseconds(1)) {
    throw Failure(Error::internal(base::with_code(
        "invalid-setting",
        "every " + format_duration(interval) + ": the interval must be at least 1ms")));
  }
}

Lifetime::Lifetime(const RouteTable& table, States& states)
    : table_(table),
      states_(states),
      on_each_loop_([] { return std::make_unique<Scope>(); }),
      running_([] { return std::make_unique<IntrusiveList<Run>>(); }) {}

Lifetime::~Lifetime() = default;

Lifetime::Call Lifetime::resolve(const detail::app::Part& part, const detail::app::LifeCall& call,
                                 std::string& wrong) {
  Call resolved{.call = &call, .states = {}};
  for (const StateWish& wish : call.wishes) {
    resolved.states.push_back(states_.find(wish, table_.scopes[part.scope], part.name, wrong));
  }
  return resolved;
}

std::string Lifetime::resolve() {
  std::string wrong;
  for (const detail::app::Part& part : table_.parts) {
    parts_.push_back({.part = &part,
                      .start = resolve(part, part.start, wrong),
                      .stop = resolve(part, part.stop, wrong),
                      .background = resolve(part, part.background, wrong),
                      .check = resolve(part, part.check, wrong),
                      .reload = resolve(part, part.reload, wrong)});
    if (parts_.back().background.is_there()) {
      parts_.back().tally = std::make_shared<Tally>(part.name);
    }
  }
  return wrong;
}

void Lifetime::log(std::string_view name, std::string_view what, std::string_view why) const {
  if (table_.log != nullptr) {
    std::string line(name);
    line.append(" ").append(what).append(why.empty() ? "" : ": ").append(why);
    table_.log->write(LogLevel::error, line);
  }
}

// If the start of a part fails or is canceled, its own stop is not called, but those of earlier
// parts are. So `begun_` is incremented after the start, not before it.
Task<Result<void>> Lifetime::start() {
  for (; begun_ < parts_.size(); ++begun_) {
    Result<void> started = co_await start(parts_[begun_]);
    if (!started) {
      co_return started;
    }
  }
  hear_reloads();
  co_return {};
}

void Lifetime::hear_reloads() {
  if (can_reload(table_)) {
    reloading_ = std::make_unique<Reloading>(table_.settings, table_.log,
                                             [this] { return tell_reloaded(); });
  }
}

Task<> Lifetime::tell_reloaded() {
  if (table_.take_limits) {
    table_.take_limits();
  }
  for (const Running& running : parts_) {
    std::string why;
    try {
      if (running.reload.is_there()) {
        co_await running.reload();
      }
      continue;
    } catch (...) {
      why = reason_of(thrown_error());
    }
    log(running.part->name, "did not apply the new settings", why);
  }
}

Task<Result<void>> Lifetime::start(Running& running) {
  try {
    if (running.start.is_there()) {
      co_await running.start();
    }
  } catch (...) {
    co_return fail(Error::internal(cannot_start(running.part->name, thrown_error())));
  }
  // After its own start, which may create what the background task uses.
  if (running.background.is_there() &&
      running.part->background_options.runs_on == RunsOn::one_loop) {
    running.scope = std::make_unique<Scope>();
    begin_background(running, *running.scope);
  }
  co_return {};
}

void Lifetime::begin_on_loop() {
  std::vector<detail::app::Check> checks;
  for (const Running& running : parts_) {
    if (running.check.is_there()) {
      checks.push_back({running.part->name, [&check = running.check] { return check(); }});
    }
    if (running.background.is_there() &&
        running.part->background_options.runs_on == RunsOn::each_loop) {
      begin_background(running, on_each_loop_.here());
    }
  }
  table_.checks->begin(std::move(checks), table_.log.get());
}

void Lifetime::leave_on_loop() noexcept {
  table_.checks->here().leave();
}

// Called after the last response of all event loops, so that background tasks still receive work
// from handlers; and before `stop`, which may destroy what they use.
Task<> Lifetime::end_on_loop() {
  table_.checks->end();
  Scope& scope = on_each_loop_.here();
  scope.cancel();
  co_await scope.join();
}

Task<> Lifetime::stop() {
  if (reloading_ != nullptr) {
    co_await reloading_->end();
    reloading_.reset();
  }
  while (begun_ != 0) {
    co_await stop(parts_[--begun_]);
  }
}

// The background task ends first, because it may use what the part's stop destroys.
Task<> Lifetime::stop(Running& running) {
  if (running.scope != nullptr) {
    running.scope->cancel();
    co_await running.scope->join();
    running.scope.reset();
  }
  if (!running.stop.is_there()) {
    co_return;
  }
  try {
    if (!co_await with_deadline(running.stop(), running.part->stop_within)) {
      log(running.part->name, "did not stop within its time limit",
          format_duration(running.part->stop_within));
    }
  } catch (...) {
    log(running.part->name, "failed to stop", reason_of(thrown_error()));
  }
}

void Lifetime::begin_background(const Running& running, Scope& scope) {
  scope.start(running.part->interval == Duration::zero() ? run_again_and_again(running)
                                                         : run_every(running));
}

/// returns  whether it ended without an error
Task<bool> Lifetime::run_once(const Running& running) {
  std::string why;
  const WorkRef work = work_of(*running.part, table_);
  const Within within(work);
  Span span(running.part->name);
  Run run(*running.tally, running.part->name, *work.get(), running_.here());
  try {
    co_await running.background();
    co_return true;
  } catch (...) {
    why = reason_of(thrown_error());
    span.fail(why);
    run.note_failed();
  }
  const detail::app::Part& part = *running.part;
  if (part.interval != Duration::zero()) {
    log(part.name, "failed and runs again at the next interval", why);
  } else if (part.background_options.restart_policy == RestartPolicy::restart) {
    log(part.name, "failed and restarts", why);
  } else {
    log(part.name, "failed and does not restart", why);
  }
  co_return false;
}

Task<> Lifetime::run_again_and_again(const Running& running) {
  const BackgroundOptions& options = running.part->background_options;
  std::int64_t failures = 0;
  while (true) {
    const Instant since = Loop::current().now();
    const bool is_well = co_await run_once(running);
    if (is_well || options.restart_policy == RestartPolicy::stop) {
      co_return;
    }
    failures = Loop::current().now() - since >= kWellAfter ? 1 : failures + 1;
    co_await sleep_for(
        detail::runtime::pause_behind(failures, options.pause, std::max(kPauseMax, options.pause)));
  }
}

Task<> Lifetime::run_every(const Running& running) {
  const EveryOptions& options = running.part->every_options;
  const Duration interval = running.part->interval;
  Instant due = Loop::current().now() + (options.is_at_once ? Duration::zero() : interval);
  while (true) {
    co_await sleep_until(due + random_part_of(options.jitter));
    (void)co_await run_once(running);
    due = next_due(due, interval, Loop::current().now());
  }
}

}  // namespace eider
