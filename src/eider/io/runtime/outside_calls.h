// Counts the calls of this thread's event loop that wait for another program.
// Layering: must not be needed by loops that run in real time.
#pragma once

#include <cstddef>
#include <utility>

namespace eider::detail::runtime {

/// A simulated loop does not move its clock while this is not 0, because the other program responds
/// in real time.
inline thread_local std::size_t outside_calls = 0;

/// One such call, from `begin` to `end`, both on the loop's thread. The destructor does not change
/// the count, because the loop may have been destroyed by then.
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
