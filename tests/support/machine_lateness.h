// How long a loop got no processor, or was busy: a test of times leaves that out of account.
// Must not be linked into an application.
#pragma once

#include <chrono>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// Adds by how much the loop's timers are late, until it is dropped. Less than 20 ms is usual.
inline Task<> add_lateness(Duration* late) {
  while (true) {
    const Instant due = Loop::current().read_now() + std::chrono::milliseconds(5);
    co_await sleep_for(std::chrono::milliseconds(5));
    const Duration by = Loop::current().read_now() - due;
    *late += by > std::chrono::milliseconds(20) ? by : Duration{0};
  }
}

}  // namespace eider
