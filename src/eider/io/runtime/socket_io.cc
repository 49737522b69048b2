#include "eider/io/runtime/socket_io.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace eider {

namespace {

ssize_t send_both(int fd, std::string_view first, std::string_view second) noexcept {
  std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                             iovec{const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  return ::sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Returns a set with only SIGPIPE.
sigset_t pipe_signal() noexcept {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGPIPE);
  return signals;
}

/// Blocks SIGPIPE on the thread from its first file on, because sendfile has no MSG_NOSIGNAL.
bool block_pipe_signal() noexcept {
  const sigset_t signals = pipe_signal();
  return ::pthread_sigmask(SIG_BLOCK, &signals, nullptr) == 0;
}

ssize_t sendfile_quietly(int fd, const FileSlice& slice) noexcept {
  [[maybe_unused]] thread_local const bool is_blocked = block_pipe_signal();
  auto offset = static_cast<off_t>(slice.offset);
  const ssize_t copied = ::sendfile(fd, slice.file, &offset, slice.bytes);
  // SIGPIPE is blocked, so the kernel has left it pending on this thread.
  if (copied < 0 && errno == EPIPE) {
    const sigset_t signals = pipe_signal();
    const timespec at_once{};
    ::sigtimedwait(&signals, nullptr, &at_once);  // or unblocking would deliver it
    errno = EPIPE;
  }
  return copied;
}

}  // namespace

SocketWrite write_socket(int fd, std::string_view first, std::string_view second) noexcept {
  const ssize_t sent = second.empty()
                           ? ::send(fd, first.data(), first.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                           : send_both(fd, first, second);
  if (sent >= 0) {
    return {static_cast<std::size_t>(sent), 0};
  }
  return {0, is_try_again(errno) ? 0 : errno};
}

SocketWrite send_file(int fd, std::string_view before, FileSlice slice) noexcept {
  std::size_t sent = 0;
  if (!before.empty()) {
    const ssize_t head =
        // The text waits for the bytes of the file (MSG_MORE), so that both share a segment.
        ::send(fd, before.data(), before.size(), MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE);
    if (head < 0) {
      return {0, is_try_again(errno) ? 0 : errno};
    }
    sent = static_cast<std::size_t>(head);
    if (sent < before.size()) {
      return {sent, 0};
    }
  }
  const ssize_t copied = sendfile_quietly(fd, slice);
  if (copied > 0) {
    return {sent + static_cast<std::size_t>(copied), 0};
  }
  if (copied == 0) {
    return {sent, ENODATA};
  }
  return {sent, is_try_again(errno) ? 0 : errno};
}

int pending_error(int fd) noexcept {
  int error = 0;
  socklen_t bytes = sizeof(error);
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
  return error;
}

void linger_not(int fd) noexcept {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

bool is_try_again(int error) noexcept {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

bool is_of_one_connection(int error) noexcept {
  return error == ECONNABORTED || error == EPROTO || error == EPERM || error == ENETDOWN ||
         error == EHOSTUNREACH || error == ENETUNREACH || error == EOPNOTSUPP;
}

}  // namespace eider
