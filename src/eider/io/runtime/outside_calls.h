// Counts the calls of this thread's event loop that wait for another program.
// Layering: must not be needed by loops that run in real time.
#pragma once

#include <cstddef>
#include <utility>

namespace eider::detail::runtime {

/// A simulated loop does not move its clock while there are any: the other program answers in real
/// time.
inline thread_local std::size_t outside_calls = 0;

/// One of them, from `begin` to `end`, both on the loop's thread. Its destructor does not count, as
/// the loop may be gone by then.
class OutsideCall {
 public:
  void begin() noexcept {
    if (!std::exchange(is_counted_, true)) {
      ++outside_calls;
    }
  }
  void end() noexcept {
    if (std::exchange(is_counted_, false)) {
      --outside_calls;
    }
  }

 private:
  bool is_counted_ = false;
};

}  // namespace eider::detail::runtime
