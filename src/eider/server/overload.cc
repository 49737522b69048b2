#include "eider/server/overload.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/metric.h"

namespace eider::detail::server {

bool Overload::refuses(const RequestPlan& plan) noexcept {
  if (plan.exempt_from_load_shedding) {
    return false;
  }
  // The pool would reject it anyway, after the cost of a task and an exception.
  if (plan.is_blocking && is_pool_overloaded() && loop_.blocking_pool()->refuses_next()) {
    ++refused_in_turn_;
    return true;
  }
  if (!queue_.is_standing()) {
    return false;
  }
  look_at_turn();
  const Instant now = loop_.read_now();
  const Instant began = loop_.now();
  const bool is_late = queue_.refuses(now - began + backlog_.usual(began, told_ago()),
                                      answered() + backlog_.answered(), now);
  if (!is_late && (!queue_.is_standing() || try_spend(now))) {
    return false;
  }
  queue_.note_refused(now);
  ++refused_in_turn_;
  base::add_alone(refused_, std::uint64_t{1});
  return true;
}

// Examines the turn when it reads its first request. If the loop has slept, no request had arrived
// by the end of the previous turn.
void Overload::look_at_turn() noexcept {
  if (std::exchange(is_looked_at_, true)) {
    return;
  }
  has_slept_ = sleeps() != sleeps_;
  if (has_slept_) {
    backlog_.note_idle(loop_.now());
    slept_ += loop_.now() - ended_;
    save(loop_.now(), std::max(kSleptMax, each_ * kAtOnceMax));
  }
}

// Grants 5 % more than the time that has passed: `each_` is an estimate, and with a lower limit the
// loop could idle. Requests beyond the loop's capacity are then rejected as late.
void Overload::save(Instant now, Duration most) noexcept {
  credit_ = std::max(credit_, std::min(credit_ + (now - credited_at_) * 21 / 20, most));
  credited_at_ = now;
}

bool Overload::try_spend(Instant now) noexcept {
  save(now, each_ * kAtOnceMax);
  if (credit_ < each_) {
    return false;
  }
  credit_ -= each_;
  return true;
}

// Rejections whose client has disconnected are not in requests_, hence the `min`.
std::size_t Overload::answered() const noexcept {
  const std::uint64_t count = requests_.load(std::memory_order_relaxed) - requests_before_;
  return static_cast<std::size_t>(count - std::min(count, refused_in_turn_));
}

void Overload::on_turn_done() noexcept {
  const std::size_t count = answered();
  requests_before_ = requests_.load(std::memory_order_relaxed);
  refused_in_turn_ = 0;
  if (!is_on() && count < StandingQueue::kOthersMin && has_all()) [[likely]] {
    queue_.note_short();
    backlog_.note_idle(loop_.now());
    is_looked_at_ = false;
    return;
  }
  if (is_on()) {
    look_at_turn();
  }
  const Instant now = loop_.read_now();
  // Passing the output of the previous turn to the kernel takes time too.
  const bool was_busy = std::exchange(is_looked_at_, false) && !has_slept_;
  learn(now - (was_busy ? ended_ : loop_.now()), count);
  backlog_.note_turn(loop_.now(), now, has_all(), told_ago(), count);
  ended_ = now;
  if (is_on()) {
    save(now, each_ * kAtOnceMax);  // time from here to the end of a sleep counts as slept
    end_where_idle(now);
  } else {
    queue_.note(backlog_.longest(now), backlog_.answered(), now);
    credit_ = each_ * kAtOnceMax;
    credited_at_ = now;
    slept_ = Duration::zero();
    slept_since_ = now;
  }
  if (is_on()) {
    sleeps_ = sleeps();
  }
}

// Ends the overload if the loop was idle for a fifth of the time. Otherwise, bursts that exceed the
// limit but are processed in time would be rejected in part forever, because each rejection
// prolongs the overload.
void Overload::end_where_idle(Instant now) noexcept {
  const Duration looked = now - slept_since_;
  if (looked < StandingQueue::kOverAfter) {
    return;
  }
  if (slept_ > looked / 5) {
    queue_.end();
  }
  slept_ = Duration::zero();
  slept_since_ = now;
}

// Only turns with responses count: a turn with nothing but rejections gives no information.
void Overload::learn(Duration busy, std::size_t responses) noexcept {
  constexpr double kKept = 0.9;
  if (responses == 0) {
    return;
  }
  busy_ = busy_ * kKept + static_cast<double>(busy.count());
  responses_ = responses_ * kKept + static_cast<double>(responses);
  each_ = Duration(static_cast<Duration::rep>(busy_ / responses_));
}

}  // namespace eider::detail::server
