#include "eider/server/process/supervisor.h"

#include <algorithm>
#include <csignal>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/signals.h"
#include "eider/server/listening.h"
#include "eider/server/process/child_process.h"
#include "eider/server/process/descriptor_store.h"
#include "eider/server/process/held_sockets.h"
#include "eider/server/process/pid_file.h"
#include "eider/server/process/predecessor.h"
#include "eider/server/process/rights.h"
#include "eider/server/process/succession.h"

namespace eider::detail::server {

namespace {

/// Additional time for a worker to end, beyond everything with its own time limit.
constexpr Duration kEndMargin = std::chrono::seconds(5);
/// A worker that has served for this time has started successfully.
constexpr Duration kWellAfter = std::chrono::seconds(10);
/// After this many missed heartbeats, a worker is considered stuck.
constexpr int kMissedMax = 2;
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kPauseMax = std::chrono::seconds(10);
/// The previous process responds at once, or it hangs.
constexpr Duration kGoComesWithin = std::chrono::seconds(10);

class Supervisor final : private SuccessionOwner, private Timer {
 public:
  Supervisor(const ServerOptions& options, const Supervised& supervised, Loop& loop)
      : options_(options),
        supervised_(supervised),
        loop_(loop),
        held_(loop),
        systemd_(options.notifies_systemd ? SystemdNotify::from_environment() : SystemdNotify()) {}

  [[nodiscard]] Result<void> run();

 private:
  /// A worker process, and its successors with the same index.
  class Seat final : private ChildOwner, private Timer {
   public:
    Seat(Supervisor& supervisor, unsigned index)
        : supervisor_(supervisor), index_(index), child_(supervisor.loop_, owner()) {}

    void start();
    void say(HandoverWord word) noexcept {
      disarm();
      if (word != HandoverWord::go) {
        pulse_.disarm();  // draining may take time, which has other limits
      }
      (void)child_.say(word);
    }
    /// SIGHUP would end a worker that does not serve yet, so it gets it when it does.
    void reload() noexcept {
      is_reload_due_ = !is_serving_;
      if (is_serving_) {
        child_.kill(SIGHUP);
      }
    }
    /// SIGUSR1 would end a worker that does not serve yet.
    void tell_state() const noexcept {
      if (is_serving_) {
        child_.kill(SIGUSR1);
      }
    }
    void kill() const noexcept { child_.kill(SIGKILL); }
    [[nodiscard]] bool is_there() const noexcept { return child_.is_there(); }
    [[nodiscard]] bool is_serving() const noexcept { return is_serving_; }
    /// "1 (process 4711)"
    [[nodiscard]] std::string text() const {
      std::string text = std::to_string(index_);
      if (!child_.is_there()) {
        return text.append(" (restarting)");
      }
      text.append(" (process ").append(std::to_string(child_.process()));
      return text.append(is_serving_ ? ")" : ", starting)");
    }

   private:
    ChildOwner& owner() noexcept { return *this; }
    void on_accepting(pid_t process, const std::vector<std::string>& places) override;
    void on_ended(std::string_view why) override;
    void on_alive() override;
    void expire() override { start(); }
    void on_no_pulse();
    [[nodiscard]] Duration next_pause() noexcept;

    Supervisor& supervisor_;
    /// Armed again at each heartbeat of the worker.
    class Pulse final : public Timer {
     public:
      explicit Pulse(Seat& seat) noexcept : seat_(seat) {}
      ~Pulse() = default;
      void expire() override { seat_.on_no_pulse(); }

     private:
      Seat& seat_;
    };

    const unsigned index_;
    ChildProcess child_;
    Pulse pulse_{*this};
    int missed_ = 0;
    bool is_serving_ = false;
    bool is_reload_due_ = false;
    Instant serving_since_ = Instant::max();
    int failures_ = 0;
  };

  /// Handles signals that are passed on to the workers.
  class WorkersSignals final : public SignalWatch {
   public:
    explicit WorkersSignals(Supervisor& supervisor)
        : SignalWatch(supervisor.loop_, {SIGHUP, SIGUSR1}), supervisor_(supervisor) {}
    ~WorkersSignals() = default;
    void on_signal(int number) override {
      number == SIGHUP ? supervisor_.reload() : supervisor_.tell_state();
    }

   private:
    Supervisor& supervisor_;
  };

  class StopSignals final : public SignalWatch {
   public:
    explicit StopSignals(Supervisor& supervisor)
        : SignalWatch(supervisor.loop_, {SIGTERM, SIGINT}), supervisor_(supervisor) {}
    ~StopSignals() = default;
    void on_signal(int number) override {
      if (!std::exchange(is_told_, true)) {
        supervisor_.stop();
        return;
      }
      supervisor_.kill_all();
      supervisor_.signals_.reset();  // destroys this
      stop_ignoring_signal(number);
      (void)std::raise(number);
    }

   private:
    Supervisor& supervisor_;
    bool is_told_ = false;
  };

  [[nodiscard]] std::string_view why_not_now() const noexcept override;
  [[nodiscard]] std::vector<SocketsAt> sockets() const override;
  void on_succeeded(const std::vector<std::string>& places) override;

  void begin();
  void start_workers();
  void on_serving();
  void take_charge();
  void reload();
  void tell_state();
  void stop();
  void end_all(HandoverWord word);
  void end_if_empty();
  void kill_all() noexcept;
  void expire() override;
  void give_up(std::string_view why);
  void log(LogLevel level, const std::string& line) const;

  const ServerOptions& options_;
  const Supervised supervised_;
  Loop& loop_;
  HeldSockets held_;
  const SystemdNotify systemd_;
  Predecessor predecessor_;
  std::vector<BoundPlace> places_;
  PidFile pid_file_;
  LoopWatchdog watchdog_{systemd_, 1};
  const Duration stuck_ = stuck_time(options_);
  std::optional<StopSignals> signals_;
  std::optional<WorkersSignals> workers_signals_;
  std::optional<Succession> succession_;
  std::deque<Seat> seats_;
  bool is_in_charge_ = false;
  bool is_stopping_ = false;
  Result<void> outcome_;
  Scope watch_;
};

Result<void> Supervisor::run() {
  if (auto applied = apply_limits(options_.rights); !applied) {
    return applied;
  }
  // The supervisor keeps its user: workers that it starts later need root to read files.
  const auto user = find_serving_user(options_.rights);
  if (!user) {
    return fail(user.error());
  }
  predecessor_ = Predecessor::from_environment();
  ListeningHost* const hosts[] = {&held_};
  const FilesOfGroup as_group(*user);
  auto bound = listen(hosts, options_, predecessor_);
  if (!bound) {
    return fail(std::move(bound.error()));
  }
  places_ = std::move(*bound);
  SuccessionOwner& owner = *this;
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2}) {
    // Otherwise one that arrives after the stop would end this process, with a wrong status.
    ignore_signal(number);
  }
  signals_.emplace(*this);
  workers_signals_.emplace(*this);
  succession_.emplace(loop_, owner, systemd_, options_.successor_start, options_.log);
  loop_.post([this] { begin(); });
  loop_.run();
  signals_.reset();
  workers_signals_.reset();
  succession_.reset();
  pid_file_.remove();
  return std::move(outcome_);
}

/// The previous process stops only after workers have shown that this program serves, so if there
/// is one, the workers start at once.
void Supervisor::begin() {
  if (options_.workers_start == WorkersStart::eager || predecessor_.is_there()) {
    start_workers();
    return;
  }
  take_charge();
  held_.await_first([this] {
    log(LogLevel::info, "The first connection starts the workers.");
    start_workers();
  });
}

void Supervisor::start_workers() {
  for (unsigned index = 0; index < options_.workers && !is_stopping_; ++index) {
    seats_.emplace_back(*this, index).start();
  }
}

void Supervisor::Seat::start() {
  is_serving_ = false;
  missed_ = 0;
  auto started = child_.start(supervisor_.sockets(),
                              std::string(kWorkerVariable) + "=" + std::to_string(index_),
                              supervisor_.options_.successor_start);
  if (!started) {
    on_ended(started.error().detail());
  }
}

void Supervisor::Seat::on_accepting(pid_t, const std::vector<std::string>&) {
  is_serving_ = true;
  serving_since_ = supervisor_.loop_.now();
  on_alive();
  if (is_reload_due_) {
    reload();
  }
  if (supervisor_.is_in_charge_) {
    (void)child_.say(HandoverWord::go);
  } else {
    supervisor_.on_serving();
  }
}

void Supervisor::Seat::on_alive() {
  if (supervisor_.stuck_ != Duration::zero() && !supervisor_.is_stopping_ && missed_ < kMissedMax) {
    missed_ = 0;
    supervisor_.loop_.arm(pulse_, supervisor_.loop_.now() + supervisor_.stuck_);
  }
}

/// First reads heartbeats that this process was too slow to read. Then the worker gets SIGABRT, so
/// that its core dump shows what it was doing. If it does not end, it is killed.
void Supervisor::Seat::on_no_pulse() {
  ++missed_;
  Duration next = kEndMargin;
  if (missed_ < kMissedMax) {
    next = supervisor_.stuck_ / 4;
  } else if (missed_ == kMissedMax) {
    child_.kill(SIGABRT);
  } else {
    child_.kill(SIGKILL);
  }
  supervisor_.loop_.arm(pulse_, supervisor_.loop_.now() + next);
}

void Supervisor::Seat::on_ended(std::string_view why) {
  pulse_.disarm();
  if (supervisor_.is_stopping_) {
    supervisor_.end_if_empty();
    return;
  }
  std::string line = "Worker " + std::to_string(index_) + ": ";
  if (missed_ >= kMissedMax) {
    line.append("an event loop was blocked for ")
        .append(
            std::to_string(std::chrono::floor<std::chrono::seconds>(supervisor_.stuck_).count()))
        .append(" s, and ");
  }
  line.append(why);
  if (!supervisor_.is_in_charge_) {
    supervisor_.give_up(line);
    return;
  }
  const Duration pause = next_pause();
  is_serving_ = false;  // a SIGHUP that arrives now is for the next process
  supervisor_.log(LogLevel::error,
                  line + "; restarting in " +
                      std::to_string(std::chrono::floor<std::chrono::milliseconds>(pause).count()) +
                      " ms.");
  // Also if the pause is zero: do not try again within this call, which has just failed.
  supervisor_.loop_.arm(*this, supervisor_.loop_.now() + pause);
}

/// Zero after a worker that had started successfully.
Duration Supervisor::Seat::next_pause() noexcept {
  const bool was_well = is_serving_ && supervisor_.loop_.now() - serving_since_ >= kWellAfter;
  failures_ = was_well ? 0 : failures_;
  return failures_++ == 0 ? Duration::zero()
                          : runtime::pause_behind(failures_ - 1, kFirstPause, kPauseMax);
}

void Supervisor::on_serving() {
  const bool are_all =
      seats_.size() == options_.workers &&
      std::ranges::all_of(seats_, [](const Seat& seat) { return seat.is_serving(); });
  if (are_all && !is_stopping_) {
    take_charge();
  }
}

void Supervisor::take_charge() {
  if (predecessor_.is_there()) {
    predecessor_.tell_ready();
    const Instant by = loop_.read_now() + kGoComesWithin;
    if (!predecessor_.wait_for_go([this, by] { return loop_.read_now() >= by; })) {
      give_up("the previous process does not release its sockets");
      return;
    }
  }
  for (const BoundPlace& place : places_) {
    if (place.is_own) {
      held_.set_ownership(place.sockets, SocketOwnership::own);
    }
  }
  for (const std::size_t index : store(systemd_, options_, places_, predecessor_.names())) {
    held_.set_ownership(places_[index].sockets, SocketOwnership::others);
  }
  predecessor_.close_rest();
  is_in_charge_ = true;
  for (Seat& seat : seats_) {
    seat.say(HandoverWord::go);
  }
  (void)pid_file_.write(options_.pid_file, options_.log);
  systemd_.tell_and_wait("READY=1");
  if (watchdog_.is_wanted()) {
    watch_.start(watchdog_.watch(0));
  }
  std::vector<std::string> urls;
  std::ranges::transform(places_, std::back_inserter(urls), url_of);
  std::string line = serving_text(urls);
  line.append(" (").append(std::to_string(options_.workers)).append(" processes");
  line.append(seats_.empty() ? ", which the first connection starts" : "");
  log(LogLevel::info, line.append("). Ctrl-C stops them."));
}

std::string_view Supervisor::why_not_now() const noexcept {
  if (is_stopping_) {
    return "this process is stopping, or was already replaced";
  }
  return is_in_charge_ ? "" : "this process has not finished starting";
}

std::vector<SocketsAt> Supervisor::sockets() const {
  std::vector<SocketsAt> all;
  for (const BoundPlace& place : places_) {
    all.push_back({place.name, place.sockets});
  }
  return all;
}

void Supervisor::on_succeeded(const std::vector<std::string>& taken) {
  pid_file_.leave();
  for (const BoundPlace& place : places_) {
    const bool is_taken = std::ranges::find(taken, place.name) != taken.end();
    if (is_taken) {
      held_.set_ownership(place.sockets, SocketOwnership::others);
    } else if (place.is_own && options_.stores_sockets) {
      held_.set_ownership(place.sockets, SocketOwnership::own);
    }
  }
  end_all(HandoverWord::handed_over);
}

void Supervisor::reload() {
  if (!supervised_.can_reload) {
    log(LogLevel::warning, "SIGHUP is ignored: there are no settings to reload.");
  }
  for (Seat& seat : seats_) {
    if (supervised_.can_reload) {
      seat.reload();
    }
  }
}

/// Each worker writes its own state.
void Supervisor::tell_state() {
  std::string line = seats_.empty() ? "Workers: none started yet" : "Workers:";
  for (const Seat& seat : seats_) {
    seat.tell_state();
    line.append(" ").append(seat.text());
  }
  log(LogLevel::info, line);
}

void Supervisor::stop() {
  if (is_stopping_) {
    return;
  }
  succession_->give_up();
  systemd_.tell("STOPPING=1");
  end_all(HandoverWord::stop);
}

void Supervisor::end_all(HandoverWord word) {
  is_stopping_ = true;
  for (Seat& seat : seats_) {
    seat.say(word);
  }
  loop_.arm(*this, loop_.now() + options_.shutdown_delay + options_.drain +
                       supervised_.stops_within + kEndMargin);
  end_if_empty();
}

void Supervisor::kill_all() noexcept {
  for (const Seat& seat : seats_) {
    seat.kill();
  }
}

/// Workers that have not ended by now hang.
void Supervisor::expire() {
  log(LogLevel::error, "A worker did not stop in time and is killed.");
  kill_all();
}

void Supervisor::end_if_empty() {
  if (std::ranges::none_of(seats_, [](const Seat& seat) { return seat.is_there(); })) {
    watch_.cancel();
    loop_.stop();
  }
}

void Supervisor::give_up(std::string_view why) {
  outcome_ = fail(Error::unavailable(base::with_code("worker-failed", why)));
  end_all(HandoverWord::stop);
}

void Supervisor::log(LogLevel level, const std::string& line) const {
  if (options_.log != nullptr) {
    options_.log->write(level, line);
  }
}

}  // namespace

Duration stuck_time(const ServerOptions& options) {
  return options.stuck != Duration::zero() ? options.stuck
                                           : SystemdNotify::from_environment().watchdog_time();
}

Result<void> supervise(const ServerOptions& options, const Supervised& supervised) {
  auto loop = Loop::create(Backend::epoll);
  if (!loop) {
    return fail(std::move(loop.error()));
  }
  Supervisor supervisor(options, supervised, **loop);
  return supervisor.run();
}

}  // namespace eider::detail::server
