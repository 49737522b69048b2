// Reports where a blocked thread is, from a signal handler of that thread.
// Layering: must not be called by that thread, nor for one that has ended and was joined.
#pragma once

#include <pthread.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider {

/// The state in which a thread was found.
///
/// method, route, id  of the request that it processes, if requests are traced; see Work
/// stack              the innermost call first: "name+0x12 (program+0x3456)"; addr2line(1) accepts
///                    the second of these
struct ThreadLook {
  std::string method;
  std::string route;
  std::string id;
  std::vector<std::string> stack;
};

/// Reserves a realtime signal, once per process, unless the program uses all of them. Required
/// before look_at_thread.
void prepare_thread_looks() noexcept;

/// Interrupts the thread for some microseconds; a blocking system call may fail with EINTR (most
/// are restarted, SA_RESTART). Only one look runs at a time.
///
/// within   how long to wait for the thread, for example if it blocks all signals
/// returns  nothing if the thread did not react, or prepare_thread_looks was not called
[[nodiscard]] std::optional<ThreadLook> look_at_thread(pthread_t thread, Duration within);

}  // namespace eider
