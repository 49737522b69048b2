#include "eider/io/runtime/cancel.h"

namespace eider {

void Cancel::release() noexcept {
  if (state_ != nullptr && state_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete state_;
  }
}

Cancel CancelSource::token() {
  if (token_.state_ == nullptr) {
    token_.state_ = new detail::runtime::CancelState;
    // A token that is created after `cancel` is cancelled from the start.
    token_.state_->is_cancelled.store(is_cancelled_, std::memory_order_release);
  }
  return token_;
}

void CancelSource::cancel() noexcept {
  is_cancelled_ = true;
  if (token_.state_ == nullptr) {
    return;
  }
  // Set the flag before the listeners are queued, because they may check it.
  token_.state_->is_cancelled.store(true, std::memory_order_release);
  while (CancelListener* listener = token_.state_->listeners.pop_front()) {
    listener->call_.queue();
  }
}

void CancelListener::listen(const Cancel& cancel, Loop& loop) noexcept {
  call_.loop = &loop;
  if (cancel.is_cancelled()) {
    call_.queue();
  } else if (cancel.state_ != nullptr) {
    cancel.state_->listeners.push_back(*this);
  }
}

}  // namespace eider
