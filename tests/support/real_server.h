// A server on real loops and sockets of this machine, with each backend, and a client for it.
// Layering: must not be used if simulated time is sufficient, because all waits are real.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "eider/io/runtime/descriptor.h"
#include "eider/server/server.h"
#include "tests/sim/scripted_service.h"

namespace eider::testing {

inline constexpr std::string_view kPlainGet = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";

/// A blocking client with a time limit for every wait.
class BlockingClient {
 public:
  /// receive_bytes  size of the kernel's receive buffer; 0: the default
  explicit BlockingClient(std::uint16_t port, int receive_bytes = 0)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (receive_bytes != 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    is_connected = is_let_in(fd_, port);
  }
  /// Waits until connections are refused.
  static void await_refusal(std::uint16_t port) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    // For a while, a draining server neither accepts nor refuses connections: then the client gives
    // up.
    const timeval patience{.tv_sec = 0, .tv_usec = 50'000};
    for (bool is_open = true; is_open;) {
      const Descriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
      is_open = is_let_in(fd, port);
      ASSERT_LT(std::chrono::steady_clock::now(), until);
    }
  }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) {
        ADD_FAILURE() << "send: errno " << errno;
        return;
      }
      bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
  }
  /// Reads until the text arrives; returns all received bytes, or those until the end of the
  /// connection.
  std::string read_until(std::string_view text) {
    char bytes[16384];
    while (!read_.contains(text)) {
      const ssize_t count = receive(bytes);
      if (count <= 0) {
        error = count < 0 ? errno : 0;
        is_ended = true;
        return read_;
      }
      read_.append(bytes, static_cast<std::size_t>(count));
    }
    return std::exchange(read_, {});
  }
  std::string read_to_end() { return read_until("\1 never sent"); }
  /// Reads once; returns success, or errno.
  ::testing::AssertionResult read_some() {
    char bytes[8192];
    const ssize_t count = receive(bytes);
    return count > 0 ? ::testing::AssertionSuccess()
                     : ::testing::AssertionFailure() << "returned " << count << ", errno " << errno;
  }
  /// Ends the connection with RST.
  void reset() {
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    close();
  }
  void half_close() const { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.close(); }

  bool is_connected = false;
  bool is_ended = false;
  int error = 0;

 private:
  /// Repeats receives that fail with EINTR: SIGSTOP and SIGCONT interrupt a receive with a time
  /// limit (signal(7)).
  [[nodiscard]] ssize_t receive(std::span<char> into) const {
    ssize_t count = 0;
    do {
      count = ::recv(fd_.get(), into.data(), into.size(), 0);
    } while (count < 0 && errno == EINTR);
    return count;
  }
  static bool is_let_in(const Descriptor& fd, std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0;
  }

  Descriptor fd_;
  std::string read_;
};

/// The parameter of each suite is the backend.
class ServerTest : public ::testing::TestWithParam<Backend> {
 protected:
  /// returns  false if the kernel does not have the backend: the test has ended
  [[nodiscard]] bool start(unsigned threads, ServerOptions options = {}) {
    options.port = 0;
    options.threads = threads;
    options.backend = GetParam();
    server_ = std::make_unique<Server>(service_, options);
    const auto started = server_->start();
    if (!started && GetParam() == Backend::io_uring) {
      skip(started.error().detail());
      return false;
    }
    EXPECT_TRUE(started) << started.error().detail();
    return started.has_value();
  }
  [[nodiscard]] BlockingClient connect() const { return BlockingClient(server_->port()); }
  /// Polls a condition that another thread makes true.
  template <class Fact>
  static bool comes_true(Fact fact) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!fact()) {
      if (std::chrono::steady_clock::now() > until) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }

  ScriptedService service_;
  std::unique_ptr<Server> server_;

 private:
  static void skip(const std::string& why) { GTEST_SKIP() << why; }
};

inline std::string backend_name(const ::testing::TestParamInfo<Backend>& backend) {
  return backend.param == Backend::epoll ? "epoll" : "io_uring";
}

}  // namespace eider::testing
