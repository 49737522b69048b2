#include "eider/server/inspector.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <future>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "eider/core/base/log.h"
#include "eider/io/runtime/signals_blocked.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/thread_look.h"
#include "eider/server/process/supervisor.h"

namespace eider {

namespace detail::server {

namespace {

/// A loop that takes longer to respond is reported as unresponsive.
constexpr Duration kRespondsWithin = std::chrono::milliseconds(250);
/// Requests within this time get the same state.
constexpr Duration kKeptFor = std::chrono::milliseconds(100);
constexpr std::size_t kWaitingMax = 256;
/// Time limit for a thread to respond to a signal.
constexpr Duration kHeardWithin = std::chrono::milliseconds(100);

thread_local const Inspector::PerLoop* on_loop_here = nullptr;

/// Returns the time after which a blocked loop is logged. A worker that is blocked for
/// ServerOptions::stuck is killed, so its report must be logged before that.
Duration told_behind(const ServerOptions& options) {
  const Duration ends = stuck_time(options);
  return ends == Duration::zero() ? options.stuck_after : std::min(options.stuck_after, ends / 2);
}

/// "Event loop 0 is blocked for 5 s in GET /report (request 4f…): f+0x12 (shop+0x3456) < …"
std::string line_of(std::size_t index, const StuckState& stuck) {
  std::string line = "Event loop " + std::to_string(index) + " is blocked for " +
                     std::to_string(static_cast<std::uint64_t>(stuck.seconds)) + " s";
  if (!stuck.method.empty()) {
    line.append(" in ").append(stuck.method).append(" ");
    line.append(stuck.route.empty() ? "a path without a route" : stuck.route);
  }
  if (!stuck.id.empty()) {
    line.append(" (request ").append(stuck.id).append(")");
  }
  line.append(". Its connections are waiting.");
  std::string_view before = " Stack: ";
  for (const std::string& frame : stuck.stack) {
    line.append(before).append(frame);
    before = " < ";
  }
  return line;
}

}  // namespace

/// Runs on the inspector's own loop, which no handler can block.
class Inspector::Signal final : public SignalWatch {
 public:
  explicit Signal(Inspector& inspector)
      : SignalWatch(*inspector.loop_, {SIGUSR1}), inspector_(inspector) {}
  ~Signal() = default;
  void on_signal(int) override {
    inspector_.take([&inspector = inspector_](const State& state) { inspector.tell(state); });
  }

 private:
  Inspector& inspector_;
};

Inspector::Inspector(Subject subject)
    : subject_(std::move(subject)),
      stuck_after_(told_behind(subject_.options)),
      began_(std::chrono::steady_clock::now()),
      loops_(subject_.loops.size()) {}

Inspector::~Inspector() {
  if (thread_.joinable()) {
    loop_->stop();
    thread_.join();
  }
}

const Inspector::PerLoop* Inspector::PerLoop::here() noexcept {
  return on_loop_here;
}

Inspector::PerLoop::PerLoop(Inspector& inspector, std::size_t index)
    : inspector_(inspector), index_(index) {
  on_loop_here = this;
  const std::lock_guard lock(inspector_.threads_);
  inspector_.loops_[index_].thread = ::pthread_self();
}

Inspector::PerLoop::~PerLoop() {
  on_loop_here = nullptr;
  const std::lock_guard lock(inspector_.threads_);
  inspector_.loops_[index_].thread.reset();
}

std::shared_ptr<const LoopNumbers> Inspector::PerLoop::numbers() const {
  return inspector_.subject_.workers[index_]->numbers();
}

std::shared_ptr<const LoopNumbers> numbers_here() {
  const Inspector::PerLoop* const here = Inspector::PerLoop::here();
  return here == nullptr ? nullptr : here->numbers();
}

/// returns  false if the process has no descriptor or thread left for it
bool Inspector::run_thread() noexcept {
  const std::lock_guard lock(start_);
  if (thread_.joinable()) {
    return true;
  }
  auto made = Loop::create(Backend::epoll);
  if (!made) {
    return false;
  }
  loop_ = std::move(*made);
  try {
    const SignalsBlocked blocked;
    thread_ = std::thread([this] {
      loop_->run();
      // Everything that belongs to the loop ends on its thread.
      disarm();
      watch_timer_.disarm();
      signal_.reset();
      waiting_.clear();
    });
  } catch (const std::system_error&) {
    return false;
  }
  ::pthread_setname_np(thread_.native_handle(), "eider-inspect");
  return true;
}

void Inspector::begin() {
  if (!subject_.options.on_state_request || !run_thread()) {
    return;
  }
  // A ready server may get the signal at any time, so this waits until the signal is handled.
  std::promise<void> hears;
  loop_->post([this, &hears] {
    if (is_unheard(SIGUSR1)) {
      hear_signal();
    }
    if (stuck_after_ != Duration::zero()) {
      prepare_thread_looks();
      watch_due_ = loop_->now();
      watch();
    }
    hears.set_value();
  });
  hears.get_future().wait();
}

void Inspector::ask(Told told) {
  if (run_thread()) {
    loop_->post([this, told = std::move(told)]() mutable { take(std::move(told)); });
  } else {
    told(nullptr);
  }
}

/// If there is no descriptor for it, the server continues without.
void Inspector::hear_signal() {
  try {
    signal_ = std::make_unique<Signal>(*this);
  } catch (const std::system_error& error) {
    if (subject_.options.log != nullptr) {
      subject_.options.log->write(LogLevel::warning,
                                  std::string("SIGUSR1 is not handled: ") + error.what());
    }
  }
}

/// Calls the callback for SIGUSR1. An exception from it must not stop the server.
void Inspector::tell(const State& state) const noexcept {
  try {
    if (state != nullptr) {
      subject_.options.on_state_request(*state);
    }
  } catch (const std::exception& thrown) {
    if (subject_.options.log != nullptr) {
      subject_.options.log->write(LogLevel::error, thrown.what());
    }
  } catch (...) {
    // The exception has no text.
  }
}

void Inspector::take(Told told) {
  if (last_ != nullptr && loop_->now() - last_at_ < kKeptFor) {
    told(last_);
  } else if (waiting_.size() >= kWaitingMax) {
    told(nullptr);
  } else {
    waiting_.push_back(std::move(told));
    gather();
  }
}

void Inspector::gather() {
  if (std::exchange(is_gathering_, true)) {
    return;
  }
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    loops_[index].told.reset();
    ask_loop(index);
  }
  loop_->arm(*this, loop_->now() + kRespondsWithin);
}

// At most one request waits in a loop that is blocked.
void Inspector::ask_loop(std::size_t index) {
  if (std::exchange(loops_[index].is_asked, true)) {
    return;
  }
  const Instant asked = loop_->read_now();
  subject_.loops[index]->post([this, index, asked] {
    LoopState state = subject_.workers[index]->state();
    state.loop = index;
    state.lag_seconds = seconds_of(Loop::current().read_now() - asked);
    loop_->post([this, index, told = std::move(state)]() mutable {
      take_response(index, std::move(told));
    });
  });
}

void Inspector::take_response(std::size_t index, LoopState state) {
  loops_[index].is_asked = false;
  loops_[index].told = std::move(state);
  if (is_gathering_ &&
      std::ranges::all_of(loops_, [](const Looked& one) { return one.told.has_value(); })) {
    finish();
  }
}

void Inspector::expire() {
  finish();
}

void Inspector::finish() {
  disarm();
  is_gathering_ = false;
  const ServerOptions& options = subject_.options;
  const auto state = std::make_shared<ServerState>();
  state->process = ::getpid();
  state->worker = options.worker;
  state->up_seconds = seconds_of(loop_->read_now() - began_);
  subject_.add_facts(*state);
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    std::optional<LoopState>& told = loops_[index].told;
    state->loops.push_back(told ? std::move(*told) : silent(index));
    told.reset();
  }
  last_at_ = loop_->read_now();
  last_ = state;
  for (const Told& told : std::exchange(waiting_, {})) {
    told(last_);
  }
}

LoopState Inspector::silent(std::size_t index) {
  const Loop& loop = *subject_.loops[index];
  LoopState state{.loop = index, .is_responsive = false, .turns = turns_of(loop).count()};
  state.requests = subject_.workers[index]->requests();
  const auto since = turns_of(loop).since();
  if (since) {
    state.stuck = stuck(index, loop_->read_now() - *since);
  }
  return state;
}

StuckState Inspector::stuck(std::size_t index, Duration since) {
  StuckState state{.seconds = seconds_of(since)};
  std::optional<ThreadLook> look;
  {
    // The thread cannot end meanwhile: PerLoop's destructor takes this lock.
    const std::lock_guard lock(threads_);
    if (loops_[index].thread) {
      look = look_at_thread(*loops_[index].thread, kHeardWithin);
    }
  }
  if (look) {
    state.method = std::move(look->method);
    state.route = std::move(look->route);
    state.id = std::move(look->id);
    state.stack = std::move(look->stack);
  }
  const PlanName running = subject_.workers[index]->running();
  if (state.method.empty()) {
    state.method = running.method;
    state.route = running.route;
  }
  return state;
}

void Inspector::watch() {
  const Duration pause = std::clamp<Duration>(stuck_after_ / 4, std::chrono::milliseconds(10),
                                              std::chrono::seconds(1));
  // If this timer itself is late, the whole machine was suspended or overloaded: no loop is to
  // blame.
  const bool is_late = loop_->now() > watch_due_ + stuck_after_ / 2;
  for (std::size_t index = 0; index < loops_.size() && !is_late; ++index) {
    watch(index);
  }
  watch_due_ = loop_->now() + pause;
  loop_->arm(watch_timer_, watch_due_);
}

/// Logs each blocked turn once.
void Inspector::watch(std::size_t index) {
  const auto turn = turns_of(*subject_.loops[index]).since();
  const Duration since = turn ? loop_->read_now() - *turn : Duration::zero();
  if (!turn || since < stuck_after_ || loops_[index].stuck_turn == turn) {
    return;
  }
  loops_[index].stuck_turn = turn;
  const StuckState state = stuck(index, since);
  if (subject_.options.log != nullptr) {
    subject_.options.log->write(LogLevel::error, line_of(index, state));
  }
}

}  // namespace detail::server

namespace {

/// The result for a caller of server_state, which may have been destroyed before it arrives.
struct Asked {
  std::shared_ptr<const ServerState> state;
  AsyncEvent is_told;
};

}  // namespace

Task<std::shared_ptr<const ServerState>> server_state() {
  const auto* const here = detail::server::Inspector::PerLoop::here();
  if (here == nullptr) {
    co_return nullptr;
  }
  const auto asked = std::make_shared<Asked>();
  here->inspector().ask([asked, &loop = Loop::current()](const auto& state) {
    loop.post([asked, state] {
      asked->state = state;
      asked->is_told.set();
    });
  });
  co_await asked->is_told.wait();
  co_return asked->state;
}

}  // namespace eider
