// One object per thread that is safe to use while the thread ends.
// Layering: must not be used for objects that must always exist.
#pragma once

namespace eider {

/// The thread's own T, made at the first call; null once the thread has destroyed it.
///
/// A compressor that lives as long as the program gives its state back after the pool has gone.
template <class T>
[[nodiscard]] T* of_this_thread() {
  thread_local bool is_gone = false;  // trivial: readable until the thread is no more
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
