#include "eider/server/overload.h"

#include <algorithm>

#include "eider/base/metric.h"

namespace eider::detail::server {

bool Overload::refuses(const Plan& plan) noexcept {
  if (plan.even_overloaded) {
    return false;
  }
  const Instant now = loop_.read_now();
  Duration waited = now - loop_.now();
  std::size_t others = answered();
  // Where the loop has slept between, nobody had come by the end of the turn before. What it needs
  // to hand its output to the kernel is no sleep.
  const bool has_slept = (loop_.now() - ended_) * 8 > took_;
  if (!has_slept) {
    waited += took_ / 2;
    others += answered_then_;
  }
  const bool is_late = queue_.refuses(waited, others, now);
  // A loop that has slept has time, however many come at once.
  if (!is_late && (!queue_.is_standing() || has_slept || try_spend(now))) {
    return false;
  }
  queue_.note_refused(now);
  ++refused_in_turn_;
  base::add_alone(refused_, std::uint64_t{1});
  return true;
}

// A little more than it can do, or what each takes, a guess, would keep it idle; who is too many by
// that is late in the end.
bool Overload::try_spend(Instant now) noexcept {
  credit_ = std::min(credit_ + (now - credited_at_) * 21 / 20,
                     each_ * static_cast<Duration::rep>(StandingQueue::kOthersMin));
  credited_at_ = now;
  if (credit_ < each_) {
    return false;
  }
  credit_ -= each_;
  return true;
}

// A refusal whose client has left by then is not among the answers.
std::size_t Overload::answered() const noexcept {
  const std::uint64_t count = requests_.load(std::memory_order_relaxed) - requests_before_;
  return static_cast<std::size_t>(count - std::min(count, refused_in_turn_));
}

void Overload::on_turn_done() noexcept {
  const std::size_t count = answered();
  requests_before_ = requests_.load(std::memory_order_relaxed);
  refused_in_turn_ = 0;
  if (!is_on() && count < StandingQueue::kOthersMin) [[likely]] {
    queue_.note_short();
    return;
  }
  const Instant now = loop_.read_now();
  took_ = now - loop_.now();
  ended_ = now;
  answered_then_ = count;
  learn();
  if (is_on()) {
    return;
  }
  queue_.note(took_, count, now);
  if (is_on()) {
    credit_ = each_ * static_cast<Duration::rep>(StandingQueue::kOthersMin);
    credited_at_ = now;
  }
}

// Of turns that have answered: one that has refused alone tells nothing.
void Overload::learn() noexcept {
  constexpr double kKept = 0.9;
  if (answered_then_ == 0) {
    return;
  }
  busy_ = busy_ * kKept + static_cast<double>(took_.count());
  answers_ = answers_ * kKept + static_cast<double>(answered_then_);
  each_ = Duration(static_cast<Duration::rep>(busy_ / answers_));
}

}  // namespace eider::detail::server
