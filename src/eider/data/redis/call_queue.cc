#include "eider/data/redis/call_queue.h"

namespace eider::redis::detail {
namespace {

/// Maximum number of abandoned slots that may remain among the waiting ones.
constexpr std::size_t kDeadMax = 64;

}  // namespace

void CallQueue::push(Call& call, std::uint32_t bytes, std::uint32_t replies) {
  call.number_ = slots_.push({&call, bytes, replies});
  call.state_ = Call::State::waiting;
}

void CallQueue::give_up(const Call& call) noexcept {
  slots_[call.number_].call = nullptr;
  ++dead_;
}

void CallQueue::compact_many() {
  if (dead_ > kDeadMax && dead_ > slots_.size() / 2) {
    compact();
  }
}

void CallQueue::compact() {
  Buffer kept;
  std::size_t at = 0;
  std::uint64_t to = next_;
  for (std::uint64_t from = next_; from != slots_.end(); ++from) {
    const Slot slot = slots_[from];
    if (slot.call != nullptr) {
      kept.append(waiting_.view().substr(at, slot.bytes));
      slot.call->number_ = to;
      slots_[to++] = slot;
    }
    at += slot.bytes;
  }
  slots_.cut(to);
  waiting_.swap(kept);
  dead_ = 0;
}

void CallQueue::send(Buffer& out, std::size_t bytes) {
  std::size_t sent = 0;
  std::size_t begun = 0;  // start of a range of calls that are sent together
  for (; next_ != slots_.end() && sent < bytes; ++next_) {
    Slot& slot = slots_[next_];
    const std::size_t end = sent + slot.bytes;
    if (slot.call != nullptr) {
      slot.call->state_ = Call::State::sent;
      // Not earlier: if the call is never sent, the keys are still watched for another attempt.
      if (slot.call->is_bound_) {
        slot.call->end_watch();
      }
      if (slot.call->wants_sent_) {
        slot.call->on_sent();
      }
    } else {
      out.append(waiting_.view().substr(begun, sent - begun));
      begun = end;
      slot.replies = 0;
    }
    sent = end;
  }
  out.append(waiting_.view().substr(begun, sent - begun));
  if (sent == waiting_.size()) {
    waiting_.reset(kBufferKeptMax);
  } else {
    waiting_.consume(sent);
  }
  drop_done();
}

void CallQueue::drop_done() noexcept {
  while (slots_.begin() != next_ && slots_.front().replies == 0) {
    slots_.pop();
    --dead_;
  }
}

std::vector<Call*> CallQueue::take_sent() {
  std::vector<Call*> calls;
  for (; slots_.begin() != next_; slots_.pop()) {
    if (Call* const call = slots_.front().call) {
      calls.push_back(call);
    } else {
      --dead_;
    }
  }
  return calls;
}

std::vector<Call*> CallQueue::take_waiting() {
  std::vector<Call*> calls;
  for (std::uint64_t at = next_; at != slots_.end(); ++at) {
    if (Call* const call = slots_[at].call) {
      give_up(*call);
      calls.push_back(call);
    }
  }
  compact();
  return calls;
}

std::vector<Call*> CallQueue::take_bound() {
  std::vector<Call*> calls;
  for (std::uint64_t at = next_; at != slots_.end(); ++at) {
    if (Call* const call = slots_[at].call; call != nullptr && call->is_bound_) {
      give_up(*call);
      calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace eider::redis::detail
