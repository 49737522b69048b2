// Reports where a blocked thread is, from a signal handler of that thread.
// Layering: must not be called by that thread, nor for one that has ended and was joined.
#pragma once

#include <pthread.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider {

/// What a thread was found at.
///
/// method, route, id  of the request that it works for, where that is followed; see Work
/// stack              the innermost call first: "name+0x12 (program+0x3456)"; the second of these
///                    is what addr2line(1) takes
struct ThreadLook {
  std::string method;
  std::string route;
  std::string id;
  std::vector<std::string> stack;
};

/// Takes a realtime signal for it, once per process, unless the program has all of those itself.
/// From then on threads can be looked at.
void prepare_thread_looks() noexcept;

/// Interrupts that thread for some microseconds: what it waits for in the kernel may end with EINTR
/// (most goes on by itself, SA_RESTART). One at a time looks.
///
/// within   how long it may take to be heard, as where it blocks all signals
/// returns  nothing when it was not heard, or nothing was prepared
[[nodiscard]] std::optional<ThreadLook> look_at_thread(pthread_t thread, Duration within);

}  // namespace eider
