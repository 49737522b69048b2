// Bytes that nobody can guess, from the kernel.
// Must not be used where it is only about being different: SplitMix64 costs no call.
#pragma once

#include <cstddef>
#include <string>

namespace eider {

/// Throws std::system_error where the kernel has none to give.
[[nodiscard]] std::string secret_bytes(std::size_t bytes);

}  // namespace eider
