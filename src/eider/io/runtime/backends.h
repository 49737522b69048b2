// The backends that `Loop::create` selects from.
// Layering: must not be used above runtime/.
#pragma once

#include <memory>

#include "eider/core/base/result.h"
#include "eider/io/runtime/loop.h"

namespace eider {

[[nodiscard]] Result<std::unique_ptr<Loop>> make_epoll_loop();
/// errors   the kernel forbids or lacks io_uring, or the library was built without liburing
[[nodiscard]] Result<std::unique_ptr<Loop>> make_uring_loop();
/// The same in the way of older kernels, with a separate buffer per receive: for tests.
[[nodiscard]] Result<std::unique_ptr<Loop>> make_old_uring_loop();

}  // namespace eider
