#include "eider/client/detail/raw_socket.h"

#include <sys/socket.h>

#include <cerrno>

#include "eider/runtime/loop.h"

namespace eider::detail {

namespace {

bool is_again() noexcept {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

void FdReady::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  loop().arm(*this, due_);
  watch(fd_, what_);
}

void FdReady::on_ready(Readiness) {
  stop();
  disarm();
  is_ready_ = true;
  loop().defer(*this);
}

void FdReady::expire() {
  stop();
  waiting_.resume();
}

Task<bool> RawSocket::write(std::string bytes) const {
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (!is_again()) {
      co_return false;
    }
    FdReady ready(Loop::current(), fd, Readiness::writable, due);
    const bool is_ready = co_await ready;
    if (!is_ready) {
      co_return false;
    }
  }
  co_return true;
}

Task<std::optional<std::string>> RawSocket::read(std::size_t bytes) const {
  std::string all(bytes, '\0');
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t count = ::recv(fd, all.data() + got, bytes - got, 0);
    if (count > 0) {
      got += static_cast<std::size_t>(count);
      continue;
    }
    if (count == 0 || !is_again()) {
      co_return std::nullopt;
    }
    FdReady ready(Loop::current(), fd, Readiness::readable, due);
    const bool is_ready = co_await ready;
    if (!is_ready) {
      co_return std::nullopt;
    }
  }
  co_return all;
}

/// Byte by byte, so that nothing of what follows is taken.
Task<std::optional<std::string>> RawSocket::read_head(std::size_t bytes_max) const {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    if (head.size() == bytes_max) {
      co_return std::nullopt;
    }
    auto reading = read(1);
    const auto byte = co_await std::move(reading);
    if (!byte) {
      co_return std::nullopt;
    }
    head.append(*byte);
  }
  co_return head;
}

}  // namespace eider::detail
