// A suspended coroutine, and the work for which it waits.
// Layering: must not be kept past its coroutine.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "eider/core/base/work.h"

namespace eider::detail::runtime {

/// Resumes the coroutine within the work in which it was suspended.
class Suspended {
 public:
  Suspended& operator=(std::coroutine_handle<> waiting) noexcept {
    handle_ = waiting;
    work_ = WorkRef(Work::current());
    return *this;
  }
  void clear() noexcept {
    handle_ = nullptr;
    work_ = WorkRef();
  }
  [[nodiscard]] bool is_there() const noexcept { return handle_ != nullptr; }
  /// Resumes it once. The owner of this object may be destroyed afterwards.
  void resume() {
    const std::coroutine_handle<> handle = std::exchange(handle_, nullptr);
    const Within within(std::move(work_));
    handle.resume();
  }

 private:
  std::coroutine_handle<> handle_;
  WorkRef work_;
};

}  // namespace eider::detail::runtime
