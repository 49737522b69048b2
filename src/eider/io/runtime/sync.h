// Synchronization on one event loop: an event and a semaphore.
// Layering: must not be shared between threads; loops communicate with `Loop::post`.
#pragma once

#include <cstddef>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/waiter.h"

namespace eider {

/// An event that is set or not. Pre: it outlives the tasks that wait for it.
class AsyncEvent {
 public:
  class Awaiter final : private detail::runtime::Waiter {
   public:
    explicit Awaiter(AsyncEvent& event) noexcept : event_(event) {}
    bool await_ready() const noexcept { return event_.is_set_; }
    void await_suspend(std::coroutine_handle<> waiting) noexcept {
      wait_in(event_.waiting_, waiting);
    }
    void await_resume() const noexcept {}

   private:
    AsyncEvent& event_;
  };

  AsyncEvent() noexcept = default;

  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  /// Sets the event: all waiting tasks continue later in this turn; later tasks do not wait, until
  /// `reset`.
  void set() noexcept {
    is_set_ = true;
    while (detail::runtime::Waiter* waiter = waiting_.front()) {
      waiter->wake();
    }
  }
  /// The same, but waiting tasks continue directly after the current event of the loop.
  void set_after_event() noexcept {
    is_set_ = true;
    while (detail::runtime::Waiter* waiter = waiting_.front()) {
      waiter->wake_after_event();
    }
  }
  void reset() noexcept { is_set_ = false; }
  /// Returns whether a task waits.
  [[nodiscard]] bool is_awaited() const noexcept { return !waiting_.empty(); }

  /// `co_await event.wait()`
  [[nodiscard]] Awaiter wait() noexcept { return Awaiter(*this); }

 private:
  detail::runtime::Waiter::List waiting_;
  bool is_set_ = false;
};

/// A number of permits, granted in the order of the requests. With one permit it is a mutex.
/// Pre: it outlives its permits and the tasks that wait for them.
class Semaphore {
 public:
  class Permit;
  class Awaiter;

  explicit Semaphore(std::size_t permits) noexcept : available_(permits) {}

  /// Returns the number of free permits.
  [[nodiscard]] std::size_t available() const noexcept { return available_; }

  /// `Semaphore::Permit permit = co_await semaphore.acquire();`
  [[nodiscard]] Awaiter acquire() noexcept;
  /// Returns a permit, or an empty one if none is free.
  [[nodiscard]] Permit try_acquire() noexcept;

 private:
  void release() noexcept {
    if (detail::runtime::Waiter* waiter = waiting_.front()) {
      waiter->wake();  // passes the permit on to it
    } else {
      ++available_;
    }
  }

  detail::runtime::Waiter::List waiting_;
  std::size_t available_;
};

/// A permit of a Semaphore, released by its destructor.
class [[nodiscard]] Semaphore::Permit {
 public:
  Permit() noexcept = default;
  explicit Permit(Semaphore& of) noexcept : semaphore_(&of) {}
  Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
  Permit& operator=(Permit&& other) noexcept {
    std::swap(semaphore_, other.semaphore_);
    return *this;
  }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit() { release(); }

  [[nodiscard]] bool is_held() const noexcept { return semaphore_ != nullptr; }
  void release() noexcept {
    if (Semaphore* semaphore = std::exchange(semaphore_, nullptr)) {
      semaphore->release();
    }
  }

 private:
  Semaphore* semaphore_ = nullptr;
};

class Semaphore::Awaiter final : private detail::runtime::Waiter {
 public:
  explicit Awaiter(Semaphore& semaphore) noexcept : semaphore_(semaphore) {}
  ~Awaiter() {
    if (is_woken()) {  // it owns a permit that it will not use
      semaphore_.release();
    }
  }

  bool await_ready() const noexcept {
    if (semaphore_.available_ == 0) {
      return false;
    }
    --semaphore_.available_;
    return true;
  }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    wait_in(semaphore_.waiting_, waiting);
  }
  Permit await_resume() const noexcept { return Permit(semaphore_); }

 private:
  Semaphore& semaphore_;
};

inline Semaphore::Awaiter Semaphore::acquire() noexcept {
  return Awaiter(*this);
}

inline Semaphore::Permit Semaphore::try_acquire() noexcept {
  if (available_ == 0) {
    return {};
  }
  --available_;
  return Permit(*this);
}

}  // namespace eider
