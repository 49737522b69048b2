// What time it is, for what is used on loops and on other threads alike.
// Must not be used where there is always a loop: that is Loop::now.
#pragma once

#include "eider/io/runtime/time.h"

namespace eider::detail::runtime {

/// On a loop's thread its Loop::now, which tests simulate; on any other the steady clock, which may
/// be ahead of a loop's by the length of a turn.
[[nodiscard]] Instant now_anywhere() noexcept;

}  // namespace eider::detail::runtime
