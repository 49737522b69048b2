// The number of written bytes that the peer has not read yet.
// Layering: must not be called often: it is a system call.
#pragma once

#include <cstddef>

namespace eider {

class Stream;

/// What waits in this process, and what waits in the kernel: it tells that a socket takes more only
/// when a third of what it holds has left, which may be a megabyte. A reader that takes a little
/// all the time would else seem to take nothing for minutes.
///
/// source  tcp(7), SIOCOUTQ; unix(7)
[[nodiscard]] std::size_t unread_bytes(const Stream& stream) noexcept;

}  // namespace eider
