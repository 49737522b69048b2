#include "eider/io/runtime/loop.h"

#include <sys/resource.h>

#include <ctime>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/backends.h"
#include "eider/io/runtime/read_blocks.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/stream_access.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/io/runtime/timer_wheel.h"
#include "eider/io/runtime/turn_watch.h"

namespace eider {

namespace {

constexpr Duration kTick = std::chrono::milliseconds(1);

thread_local Loop* running_loop = nullptr;

/// Sets `Loop::current` while a loop runs, and restores the previous one.
class RunningHere {
 public:
  explicit RunningHere(Loop& loop) noexcept : before_(running_loop) { running_loop = &loop; }
  ~RunningHere() { running_loop = before_; }
  RunningHere(const RunningHere&) = delete;
  RunningHere& operator=(const RunningHere&) = delete;

 private:
  Loop* before_;
};

/// Rounds up, so that no timer fires early.
std::uint64_t tick_of_due(Instant due) noexcept {
  const auto since = due.time_since_epoch();
  if (since <= Duration::zero()) {
    return 0;
  }
  // Adding before the division would overflow for Instant::max().
  return static_cast<std::uint64_t>(since / kTick) + (since % kTick != Duration::zero() ? 1 : 0);
}

std::uint64_t tick_of_now(Instant now) noexcept {
  return static_cast<std::uint64_t>(now.time_since_epoch() / kTick);
}

Instant instant_of(std::uint64_t tick) noexcept {
  constexpr auto kLast = static_cast<std::uint64_t>(Instant::max().time_since_epoch() / kTick);
  return tick > kLast ? Instant::max() : Instant(static_cast<std::int64_t>(tick) * kTick);
}

}  // namespace

std::optional<Backend> parse_backend(std::string_view text) noexcept {
  if (text == "auto") {
    return Backend::automatic;
  }
  if (text == "epoll") {
    return Backend::epoll;
  }
  if (text == "io_uring") {
    return Backend::io_uring;
  }
  return std::nullopt;
}

Result<std::unique_ptr<Loop>> Loop::create(Backend backend) {
  switch (backend) {
    case Backend::epoll:
      return make_epoll_loop();
    case Backend::io_uring:
      return make_uring_loop();
    case Backend::automatic:
      break;
  }
  auto preferred = make_uring_loop();
  return preferred ? std::move(preferred) : make_epoll_loop();
}

Loop::Loop(ReadLender* lender)
    : cork_(&own_cork_), wheel_(std::make_unique<TimerWheel>()), lender_(lender) {
  read_clocks();
  turns_.note_waiting();
}

Loop::~Loop() {
  // The backend is already destroyed, so posted work must not own a stream, listener or watch. Work
  // that a destructor posts is destroyed as well.
  while (Posted* next = take_posted()) {
    while (next != nullptr) {
      const std::unique_ptr<Posted> work(next);
      next = work->next_;
    }
  }
}

std::unique_ptr<LoopKept>& Loop::kept(std::uint64_t key) {
  for (auto& [its_key, object] : kept_) {
    if (its_key == key) {
      return object;
    }
  }
  return kept_.emplace_back(key, nullptr).second;
}

void Loop::end_kept() noexcept {
  // A canceled task may still use its loop, for example to send a cancel request to a database.
  const RunningHere running(*this);
  // By position: a destructor may add an object.
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i].second != nullptr) {
      kept_[i].second->end_tasks();
    }
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const std::unique_ptr<LoopKept> ended = std::move(kept_[i].second);
  }
  kept_.clear();
}

Instant detail::runtime::now_anywhere() noexcept {
  return running_loop != nullptr ? running_loop->now() : std::chrono::steady_clock::now();
}

Loop& Loop::current() noexcept {
  ensure(running_loop != nullptr, "a loop already runs on this thread");
  return *running_loop;
}

void Loop::run() {
  {
    const RunningHere running(*this);
    // Deadlines that start here must not count from the loop's creation, or its last run.
    read_clocks();
    run_posted();  // before the first events, because the services of a server start this way
  }
  run_turns();
}

void Loop::run_turns() {
  const RunningHere running(*this);
  while (!is_stopping()) {
    turns_.note_waiting();  // until `wait` reads the clocks
    wait(wake_at());
    finish_turn();
  }
  settle();
  turns_.note_waiting();
  // A `stop` before `run` counts, so the flag is reset at the end, not at the start.
  is_stopping_.store(false, std::memory_order_relaxed);
}

void Loop::stop() noexcept {
  is_stopping_.store(true, std::memory_order_relaxed);
  wake();
}

void Loop::post(std::unique_ptr<Posted> work) noexcept {
  Posted* added = work.release();
  Posted* before = posted_.load(std::memory_order_relaxed);
  do {
    added->next_ = before;
  } while (!posted_.compare_exchange_weak(before, added, std::memory_order_release,
                                          std::memory_order_relaxed));
  // If other work is queued, a wake-up is already pending; and this thread's own loop is awake.
  if (before == nullptr && running_loop != this) {
    wake();
  }
}

void Loop::arm(Timer& timer, Instant due) noexcept {
  wheel_->arm(timer, tick_of_due(due));
}

void Loop::defer(Deferred& deferred) noexcept {
  if (!deferred.is_queued()) {
    deferred_.push_back(deferred);
  }
}

void Loop::defer_after_event(Deferred& deferred) noexcept {
  if (!deferred.is_queued()) {
    after_event_.push_back(deferred);
  }
}

bool Loop::lend(std::string_view bytes, ReadLoan& loan) noexcept {
  return lender_ != nullptr && lender_->lend(bytes, loan);
}

Instant Loop::wake_at() const noexcept {
  const bool has_work = !deferred_.empty() || !after_event_.empty() ||
                        posted_.load(std::memory_order_relaxed) != nullptr;
  return has_work || is_stopping() ? now_ : instant_of(wheel_->next_tick());
}

Instant Loop::read_now() const noexcept {
  return std::chrono::steady_clock::now();
}

std::uint64_t Loop::sleeps() const noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw);
}

void Loop::read_clocks() noexcept {
  set_clocks(std::chrono::steady_clock::now(), std::time(nullptr));
}

void Loop::finish_turn() {
  // Timers and posted work may defer work, and all of them may write: so deferred work runs after
  // them, and the cork is flushed last.
  run_timers();
  run_posted();
  run_deferred();
  if (turn_watch_ != nullptr) {
    turn_watch_->on_turn_done();
  }
  flush_cork();
  turns_.note_end();
}

void Loop::run_timers() {
  IntrusiveList<Timer> due;
  wheel_->advance(tick_of_now(now_), due);
  // A timer may destroy others that are due; these leave the list by themselves.
  while (Timer* timer = due.pop_front()) {
    timer->expire();
  }
}

Posted* Loop::take_posted() noexcept {
  Posted* latest = posted_.exchange(nullptr, std::memory_order_acquire);
  Posted* first = nullptr;
  while (latest != nullptr) {
    Posted* before = std::exchange(latest->next_, first);
    first = latest;
    latest = before;
  }
  return first;
}

void Loop::run_posted() {
  if (posted_.load(std::memory_order_relaxed) == nullptr) {
    return;
  }
  Posted* next = take_posted();
  while (next != nullptr) {
    // Destroy the work before the next one runs, on this thread.
    const std::unique_ptr<Posted> work(next);
    next = work->next_;
    work->run();
  }
}

void Loop::run_after_event() {
  if (after_event_.empty()) [[likely]] {
    return;
  }
  IntrusiveList<Deferred> round;
  round.take(after_event_);
  while (Deferred* next = round.pop_front()) {
    next->run();
  }
}

void Loop::run_deferred() {
  // Work that is queued meanwhile waits for the next round, so that tasks that yield to one another
  // do not block the rest.
  IntrusiveList<Deferred> round;
  round.take(after_event_);
  round.take(deferred_);
  while (Deferred* next = round.pop_front()) {
    next->run();
  }
}

void Loop::lend_cork(Stream& stream) {
  // There is only one cork: flush it before another stream may write.
  flush_cork();
  cork_owner_ = &stream;
}

Loop::Written Loop::send_file(Stream& stream, std::string_view before, FileSlice slice) {
  return eider::send_file(StreamAccess::fd(stream), before, slice);
}

void Loop::drop_unsent(Stream& stream) noexcept {
  linger_not(StreamAccess::fd(stream));
}

Buffer* Loop::corked(const Stream& stream) noexcept {
  return cork_owner_ == &stream ? cork_ : nullptr;
}

void Loop::flush_cork() {
  if (cork_owner_ != nullptr) {
    // The owner stays set during the flush, because `corked` needs it.
    cork_owner_->flush();
    cork_owner_ = nullptr;
  }
}

void Loop::drop_cork() noexcept {
  cork_->clear();
  cork_owner_ = nullptr;
}

std::chrono::sys_seconds wall_time() noexcept {
  const std::int64_t seconds =
      running_loop != nullptr ? running_loop->wall_seconds() : std::time(nullptr);
  return std::chrono::sys_seconds(std::chrono::seconds(seconds));
}

}  // namespace eider
