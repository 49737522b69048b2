// Options that can change while a program serves.
// Must not be moved: other threads have its address.
#pragma once

#include <atomic>
#include <forward_list>

namespace eider {

class OptionSet;

/// An options struct that SIGHUP reads anew, as far as its texts say `.is_reloadable`:
///
///     Live<NotesOptions> own;
///     app.options(OptionSet("notes").add(own));
///     app.get("/", [&own] { return std::to_string(own->page_size); });
///
/// Any thread may read it at any time. Each `*own` is the newest there is, as a whole, and stays as
/// it was: a handler that reads several members that belong together takes one reference, which
/// stays good across its `co_await`s and as long as this lives. So each reload that changes
/// something keeps a copy of the struct.
template <class T>
class Live {
 public:
  Live() : Live(T{}) {}
  explicit Live(const T& initial) : draft_(initial), versions_{initial}, now_(&versions_.front()) {}
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  [[nodiscard]] const T& operator*() const noexcept {
    return *now_.load(std::memory_order_acquire);
  }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  friend class OptionSet;

  /// What is written to, by one thread at a time, until it is published.
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
