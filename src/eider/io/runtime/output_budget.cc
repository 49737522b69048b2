#include "eider/io/runtime/output_budget.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/io/runtime/loop_local.h"

namespace eider::detail::runtime {

namespace {

/// A peer that had less time cannot be judged yet. It is reset only at twice the budget.
constexpr Duration kJudgedAfter = std::chrono::milliseconds(250);
/// After a mark, the earlier pace counts for this time.
constexpr Duration kPaceSpan = std::chrono::seconds(1);
/// While work waits for room, output must leave within this fraction of the span.
constexpr int kHurriedPart = 8;
/// The number of waiters that are called in one turn, so that other work can run.
constexpr int kOffersMax = 64;

struct KeptBudget final : LoopKept {
  explicit KeptBudget(Loop& loop) noexcept : budget(loop) {}
  OutputBudget budget;
};

double seconds(Duration span) noexcept {
  return std::chrono::duration<double>(span).count();
}

}  // namespace

WaitingOutput::~WaitingOutput() {
  if (is_given_up_) {
    note_freed();
  } else {
    budget_.drop(own_);
  }
}

void WaitingOutput::note_freed() noexcept {
  budget_.freed_soon_ -= own_;
  budget_.drop(std::exchange(own_, 0));
}

void WaitingOutput::set(std::size_t own, std::size_t waiting) {
  if (is_given_up_) {
    return;
  }
  const std::size_t before = std::exchange(own_, own);
  const bool is_more = own > before;
  is_more ? budget_.add(own - before) : budget_.drop(before - own);
  waiting_ = waiting;
  if (waiting == 0) {
    unlink();
    return;
  }
  if (!is_linked()) {
    budget_.begin(*this);
  }
  if (is_more) {
    budget_.note_change();
  }
}

void OutputBudget::set_limits(const OutputLimits& limits) noexcept {
  limits_ = limits;
  note_room();
}

void OutputBudget::add(std::size_t bytes) noexcept {
  held_ += bytes;
  note_room();
}

void OutputBudget::drop(std::size_t bytes) noexcept {
  held_ -= bytes;
  note_room();
}

// Waiters are called later in the turn, because this may be called from within any function.
void OutputBudget::note_room() noexcept {
  is_crowded_ = !has_room() || !room_waiters_.empty();
  if (has_room() && !room_waiters_.empty()) {
    loop_.defer(*this);
  }
}

void OutputBudget::add_shared(const void* memory, std::size_t bytes) {
  Shared& shared = shared_[memory];
  ++shared.queues;
  if (bytes > shared.bytes) {
    add(bytes - shared.bytes);
    shared.bytes = bytes;
    note_change();
  }
}

void OutputBudget::drop_shared(const void* memory) noexcept {
  const auto found = shared_.find(memory);
  if (found != shared_.end() && --found->second.queues == 0) {
    drop(found->second.bytes);
    shared_.erase(found);
  }
}

void OutputBudget::begin(WaitingOutput& output) noexcept {
  waiting_.push_back(output);
  output.since_ = loop_.now();
  output.pace_ = 0;
  mark(output);
}

void OutputBudget::mark(WaitingOutput& output) const noexcept {
  output.mark_ = output.flow();
  output.marked_at_ = loop_.now();
}

void OutputBudget::note_change() noexcept {
  // A search that found no peer to reset is not repeated immediately: it costs a call per peer.
  const bool is_due = loop_.now() >= next_relief_ || kept() > twice();
  if (kept() > limits_.bytes_max && is_due && !is_relieving_) {
    relieve();
    if (kept() > limits_.bytes_max) {
      arm_look();
    }
  }
  if (kept() > limits_.bytes_max / 2 && !is_armed()) {
    arm_look();
  }
}

void OutputBudget::arm_look() noexcept {
  const bool is_full = kept() > limits_.bytes_max || !room_waiters_.empty();
  const Duration after = look_after();
  loop_.arm(*this, loop_.now() + (is_full ? std::min(after, kJudgedAfter) : after));
}

// Room for new work.

void OutputBudget::await_room(RoomWaiter& waiter) {
  const bool is_first = room_waiters_.empty();
  waiter.since_ = loop_.now();
  room_waiters_.push_back(waiter);
  note_room();
  if (is_first) {
    arm_look();
  }
}

// The waiter has room even if others wait: only its output counts afterwards.
void OutputBudget::offer(RoomWaiter& waiter) {
  is_crowded_ = false;
  waiter.on_room();
  note_room();
}

void OutputBudget::run() {
  for (int count = 0; count < kOffersMax && has_room(); ++count) {
    RoomWaiter* const waiter = room_waiters_.pop_front();
    if (waiter == nullptr) {
      break;
    }
    offer(*waiter);
  }
  note_room();
}

// Ends waits that are too long. If the output then exceeds twice the budget, the slowest peers are
// reset.
void OutputBudget::offer_to_late() {
  const Instant now = loop_.now();
  for (int count = 0; count < kOffersMax && !room_waiters_.empty(); ++count) {
    if (now - room_waiters_.front()->since_ < limits_.span) {
      break;
    }
    offer(*room_waiters_.pop_front());
  }
}

// Selection of the peers to reset.

bool OutputBudget::is_new(const WaitingOutput& output) const noexcept {
  return output.since_ > loop_.now() - kJudgedAfter;
}

Duration OutputBudget::look_after() const noexcept {
  return std::clamp<Duration>(limits_.span / 8, std::chrono::milliseconds(1),
                              std::chrono::seconds(2));
}

/// Returns the bytes per second that the peer has read recently.
double OutputBudget::pace_of(const WaitingOutput& output) const noexcept {
  const OutputFlow now = output.flow();
  const double given = static_cast<double>(now.given - output.mark_.given);
  const double queued = static_cast<double>(now.queued) - static_cast<double>(output.mark_.queued);
  const Duration span = loop_.now() - output.marked_at_;
  const double pace = std::max(given - queued, 0.0) / seconds(std::max(span, kJudgedAfter));
  return span < kPaceSpan ? std::max(pace, output.pace_) : pace;
}

double OutputBudget::least_pace(const WaitingOutput& output) const noexcept {
  const double half = static_cast<double>(limits_.bytes_max) / 2;
  const double part = std::clamp((static_cast<double>(kept()) - half) / half, 0.0, 1.0);
  const double whole = static_cast<double>(output.waiting_) / seconds(limits_.span);
  const auto least = static_cast<double>(limits_.bytes_per_second_min);
  return least + part * std::max(whole - least, 0.0);
}

/// The same while work waits for room.
double OutputBudget::hurried_pace(const WaitingOutput& output) const noexcept {
  // Uses the memory, not the unsent rest, because memory is freed only when all was sent.
  const auto memory = static_cast<double>(std::min(output.own_, limits_.bytes_max));
  const double hurried = memory * kHurriedPart / seconds(limits_.span);
  return std::max(least_pace(output), room_waiters_.empty() ? 0.0 : hurried);
}

// More than half of the budget is used: slow readers are checked more often, and must read faster.
void OutputBudget::expire() {
  is_relieving_ = true;
  for (const Candidate& candidate : candidates()) {
    WaitingOutput& output = *candidate.output;
    if (kept() <= limits_.bytes_max / 2) {
      break;
    }
    // Check a slow reader by whole spans; otherwise the kernel's buffering would distort the
    // result.
    if (loop_.now() - output.marked_at_ >= look_after()) {
      if (candidate.pace < least_pace(output)) {
        give_up(output);
      } else {
        output.pace_ = candidate.pace;
        mark(output);
      }
    }
  }
  is_relieving_ = false;
  if (kept() >= limits_.bytes_max) {
    relieve();
  }
  offer_to_late();
  if (kept() > limits_.bytes_max / 2 || !room_waiters_.empty()) {
    arm_look();
  }
}

/// Returns the slowest first, among equal ones the largest; those that have just started come last.
std::vector<OutputBudget::Candidate> OutputBudget::candidates() const {
  std::vector<Candidate> all;
  waiting_.look_through([&](const WaitingOutput& output) {
    all.push_back({const_cast<WaitingOutput*>(&output), pace_of(output)});
    return true;
  });
  std::ranges::sort(all, [this](const Candidate& left, const Candidate& right) {
    const bool is_right_new = is_new(*right.output);
    if (is_new(*left.output) != is_right_new) {
      return is_right_new;
    }
    return left.pace != right.pace ? left.pace < right.pace
                                   : left.output->waiting_ > right.output->waiting_;
  });
  return all;
}

// Above the budget, resets peers that read too slowly; above twice the budget, the slowest in any
// case. Resets slightly more than needed, so that the next bytes do not cause this again. The last
// one stays: a single large response may exceed the budget.
void OutputBudget::relieve() {
  bool is_hard = kept() > twice();
  is_relieving_ = true;
  std::vector<Candidate> all = candidates();
  if (!all.empty()) {
    all.pop_back();
  }
  for (const Candidate& candidate : all) {
    if (kept() <= limits_.bytes_max - limits_.bytes_max / 8) {
      break;
    }
    is_hard = is_hard && kept() > twice() - twice() / 8;
    const WaitingOutput& output = *candidate.output;
    if (is_hard || (!is_new(output) && candidate.pace < hurried_pace(output))) {
      give_up(*candidate.output);
    }
  }
  is_relieving_ = false;
  next_relief_ = loop_.now() + (kept() > limits_.bytes_max ? kJudgedAfter : Duration::zero());
}

void OutputBudget::give_up(WaitingOutput& output) noexcept {
  ++given_up_;
  output.is_given_up_ = true;
  freed_soon_ += output.own_;
  output.unlink();
  output.give_up();
}

OutputBudget& output_budget_of(Loop& loop) {
  static const std::uint64_t key = next_loop_key();
  if (loop.kept(key) == nullptr) {
    loop.kept(key) = std::make_unique<KeptBudget>(loop);
  }
  return static_cast<KeptBudget&>(*loop.kept(key)).budget;
}

}  // namespace eider::detail::runtime
