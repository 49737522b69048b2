// The two clocks of TLS: how long something lasts, and which day it is for certificates.
// Must not be read anywhere else: tests bring their own.
#pragma once

#include <chrono>
#include <ctime>

#include "eider/runtime/time.h"

namespace eider::detail {

struct TlsClock {
  Instant (*steady)() = [] { return Instant(std::chrono::steady_clock::now()); };
  std::time_t (*wall)() = [] { return std::time(nullptr); };
};

}  // namespace eider::detail
