#include "eider/runtime/output_budget.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/runtime/loop_local.h"

namespace eider::detail::runtime {

namespace {

/// A peer that has had less time has shown nothing yet: the others are cut off first.
constexpr Duration kJudgedAfter = std::chrono::milliseconds(250);
/// A pace is measured over so much time at least.
constexpr Duration kPaceSpan = std::chrono::seconds(1);

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
    budget_.held_ -= own_;
  }
}

void WaitingOutput::note_freed() noexcept {
  budget_.held_ -= own_;
  budget_.freed_soon_ -= own_;
  own_ = 0;
}

void WaitingOutput::set(std::size_t own, std::size_t waiting) {
  if (is_given_up_) {
    return;
  }
  const bool is_more = own > own_;
  budget_.held_ += own - own_;
  own_ = own;
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

void OutputBudget::add_shared(const void* memory, std::size_t bytes) {
  Shared& shared = shared_[memory];
  ++shared.queues;
  if (bytes > shared.bytes) {
    held_ += bytes - shared.bytes;
    shared.bytes = bytes;
    note_change();
  }
}

void OutputBudget::drop_shared(const void* memory) noexcept {
  const auto found = shared_.find(memory);
  if (found != shared_.end() && --found->second.queues == 0) {
    held_ -= found->second.bytes;
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
  if (kept() > limits_.bytes_max && !is_relieving_) {
    relieve();
  }
  if (kept() > limits_.bytes_max / 2 && !is_armed()) {
    loop_.arm(*this, loop_.now() + look_after());
  }
}

Duration OutputBudget::look_after() const noexcept {
  return std::clamp<Duration>(limits_.span / 8, std::chrono::milliseconds(1),
                              std::chrono::seconds(2));
}

/// Bytes per second that the peer has taken lately.
double OutputBudget::pace_of(const WaitingOutput& output) const noexcept {
  const OutputFlow now = output.flow();
  const double given = static_cast<double>(now.given - output.mark_.given);
  const double queued = static_cast<double>(now.queued) - static_cast<double>(output.mark_.queued);
  const Duration span = loop_.now() - output.marked_at_;
  const double pace = std::max(given - queued, 0.0) / seconds(std::max(span, kPaceSpan));
  return span < kPaceSpan ? std::max(pace, output.pace_) : pace;
}

double OutputBudget::least_pace(const WaitingOutput& output) const noexcept {
  const double half = static_cast<double>(limits_.bytes_max) / 2;
  const double part = std::clamp((static_cast<double>(kept()) - half) / half, 0.0, 1.0);
  const double whole = static_cast<double>(output.waiting_) / seconds(limits_.span);
  const auto least = static_cast<double>(limits_.bytes_per_second_min);
  return least + part * std::max(whole - least, 0.0);
}

// More than half of it is used: slow readers are looked at more often, and have to take more.
void OutputBudget::expire() {
  is_relieving_ = true;
  for (const Candidate& candidate : candidates()) {
    WaitingOutput& output = *candidate.output;
    if (kept() <= limits_.bytes_max / 2) {
      break;
    }
    // A slow reader is judged by whole spans, or its kernel's buffer would be judged.
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
  if (kept() > limits_.bytes_max / 2) {
    loop_.arm(*this, loop_.now() + look_after());
  }
}

/// Those that have taken least first, of these the largest; those that have just begun last.
std::vector<OutputBudget::Candidate> OutputBudget::candidates() const {
  std::vector<Candidate> all;
  waiting_.look_through([&](const WaitingOutput& output) {
    all.push_back({const_cast<WaitingOutput*>(&output), pace_of(output)});
    return true;
  });
  const Instant judged = loop_.now() - kJudgedAfter;
  std::ranges::sort(all, [judged](const Candidate& left, const Candidate& right) {
    const bool is_left_new = left.output->since_ > judged;
    const bool is_right_new = right.output->since_ > judged;
    if (is_left_new != is_right_new) {
      return is_right_new;
    }
    return left.pace != right.pace ? left.pace < right.pace
                                   : left.output->waiting_ > right.output->waiting_;
  });
  return all;
}

// Some more than needed, so that the next bytes do not begin this again. The last one stays: a
// single large response may be larger than the budget.
void OutputBudget::relieve() {
  is_relieving_ = true;
  std::vector<Candidate> all = candidates();
  if (!all.empty()) {
    all.pop_back();
  }
  for (const Candidate& candidate : all) {
    if (kept() <= limits_.bytes_max - limits_.bytes_max / 8) {
      break;
    }
    give_up(*candidate.output);
  }
  is_relieving_ = false;
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
