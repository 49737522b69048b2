// `eider bench` from its arguments to its exit status.
// Must not be called on a thread that runs a loop.
#pragma once

#include <span>
#include <string_view>

namespace eider::bench {

/// Prints the report, and errors on the standard error.
///
/// returns  0  every request was answered, 1  some were not or nothing could be measured,
///          2  the arguments could not be understood
[[nodiscard]] int command(std::span<const std::string_view> arguments);

}  // namespace eider::bench
