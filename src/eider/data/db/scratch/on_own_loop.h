// Runs a task to completion on its own thread and event loop.
// Layering: must not be used within a server.
#pragma once

#include <functional>
#include <string>

#include "eider/core/base/result.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::scratch {

using Step = std::function<Task<Result<void, std::string>>()>;

/// errors   what the task returns, or the text of the exception that it throws
[[nodiscard]] Result<void, std::string> on_own_loop(const Step& step);

}  // namespace eider::detail::scratch
