// The number of written bytes that the peer has not read yet.
// Layering: must not be called often: it is a system call.
#pragma once

#include <cstddef>

namespace eider {

class Stream;

/// Returns the waiting output in this process and in the kernel. The kernel reports that a socket
/// accepts more only after a third of its buffer was sent, which may be a megabyte. Without its
/// part, a slow but steady reader would seem to read nothing for minutes.
///
/// source  tcp(7), SIOCOUTQ; unix(7)
[[nodiscard]] std::size_t unread_bytes(const Stream& stream) noexcept;

}  // namespace eider
