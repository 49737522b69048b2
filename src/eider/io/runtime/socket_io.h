// System calls on sockets that several backends use, and their errors.
// Layering: must not be used above runtime/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider {

/// The result of one write.
struct SocketWrite {
  std::size_t bytes = 0;  ///< may be 0 if the socket is full
  int error = 0;          ///< an errno, never EAGAIN
};

/// Writes as much of both as the socket accepts now, in this order. Never raises SIGPIPE.
[[nodiscard]] SocketWrite write_socket(int fd, std::string_view first,
                                       std::string_view second) noexcept;

/// Bytes of an open file.
struct FileSlice {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Writes as much of the text and then of the file as the socket accepts now; the kernel copies the
/// file. Both are sent in as few segments as possible. Never raises SIGPIPE: the thread blocks it
/// from its first call on.
///
/// returns  error ENODATA: the file ends within the slice
[[nodiscard]] SocketWrite send_file(int fd, std::string_view before, FileSlice slice) noexcept;

/// Returns SO_ERROR and clears it; 0 if there is none.
[[nodiscard]] int pending_error(int fd) noexcept;

/// Makes closing the socket reset its connection and drop unsent data (SO_LINGER of 0 s).
void linger_not(int fd) noexcept;

[[nodiscard]] bool is_try_again(int error) noexcept;

/// Returns whether an error of `accept` concerns only one connection that was lost before it was
/// accepted: the next call may succeed immediately (accept(2), "Error handling").
[[nodiscard]] bool is_of_one_connection(int error) noexcept;

}  // namespace eider
