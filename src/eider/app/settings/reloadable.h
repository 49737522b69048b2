// Options that can change while a program serves.
// Layering: must not be moved, because other threads have its address.
#pragma once

#include <atomic>
#include <forward_list>

namespace eider {

class OptionSet;

/// An options struct whose members with `.is_reloadable` are reloaded by SIGHUP:
///
///     Reloadable<NotesOptions> own;
///     app.options(OptionSet("notes").add(own));
///     app.get("/", [&own] { return std::to_string(own->page_size); });
///
/// Any thread can read it at any time. Each `*own` is a consistent copy of the newest values and
/// does not change. To read several members that belong together, use one reference, which is valid
/// across `co_await` as long as this object exists. So each reload with changes keeps a copy of the
/// struct.
template <class T>
class Reloadable {
 public:
  Reloadable() : Reloadable(T{}) {}
  explicit Reloadable(const T& initial)
      : draft_(initial), versions_{initial}, now_(&versions_.front()) {}
  Reloadable(const Reloadable&) = delete;
  Reloadable& operator=(const Reloadable&) = delete;

  [[nodiscard]] const T& operator*() const noexcept {
    return *now_.load(std::memory_order_acquire);
  }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  friend class OptionSet;

  /// Returns the struct for changes, by one thread at a time, before it is published.
  [[nodiscard]] T& draft() noexcept { return draft_; }
  void publish() {
    versions_.push_front(draft_);
    now_.store(&versions_.front(), std::memory_order_release);
  }

  T draft_;
  std::forward_list<T> versions_;
  std::atomic<const T*> now_;
};

}  // namespace eider
