// One object per thread that is safe to use while the thread ends.
// Layering: must not be used for objects that must always exist.
#pragma once

namespace eider {

/// Returns the T of this thread, created at the first call, or null after the thread has destroyed
/// it.
///
/// A compressor with static lifetime returns its state after the pool of the thread was destroyed.
template <class T>
[[nodiscard]] T* of_this_thread() {
  thread_local bool is_gone = false;  // trivial type, so it is readable until the end of the thread
  struct Holder {
    explicit Holder(bool& gone) noexcept : its_end(gone) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() { its_end = true; }
    T object{};
    bool& its_end;
  };
  if (is_gone) {
    return nullptr;
  }
  thread_local Holder holder(is_gone);
  return &holder.object;
}

}  // namespace eider
