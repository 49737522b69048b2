// Cryptographically random bytes from the kernel.
// Layering: must not be used if the bytes need not be secret: SplitMix64 needs no system call.
#pragma once

#include <cstddef>
#include <string>

namespace eider {

/// Returns random bytes of the kernel. Throws std::system_error if the kernel cannot provide them.
[[nodiscard]] std::string secret_bytes(std::size_t bytes);

}  // namespace eider
