// System calls on sockets that several backends use, and their errors.
// Layering: must not be used above runtime/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider {

/// What one write came to.
struct SocketWrite {
  std::size_t bytes = 0;  ///< 0 also when the socket is full
  int error = 0;          ///< an errno, never EAGAIN
};

/// Writes at once what the socket takes of both, in this order. Never raises SIGPIPE.
[[nodiscard]] SocketWrite write_socket(int fd, std::string_view first,
                                       std::string_view second) noexcept;

/// Bytes of an open file.
struct FileSlice {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Writes at once what the socket takes of the text and then of the file, which the kernel copies
/// by itself. Both leave in as few segments as they fit in. Never raises SIGPIPE: the thread blocks
/// it from its first call on.
///
/// returns  error ENODATA: the file ends within the slice
[[nodiscard]] SocketWrite send_file(int fd, std::string_view before, FileSlice slice) noexcept;

/// SO_ERROR, which reading clears; 0 for none.
[[nodiscard]] int pending_error(int fd) noexcept;

/// Closing the socket will reset its connection and drop what it has not sent (SO_LINGER of 0 s).
void linger_not(int fd) noexcept;

[[nodiscard]] bool is_try_again(int error) noexcept;

/// Accepting failed with the error of one connection, lost before it was accepted: the next may
/// succeed at once (accept(2), "Error handling").
[[nodiscard]] bool is_of_one_connection(int error) noexcept;

}  // namespace eider
