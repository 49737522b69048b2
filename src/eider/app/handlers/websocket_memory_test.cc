// The memory of an idle WebSocket in this process, including its share of tables and pools.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/io/runtime/frame_pool.h"
#include "eider/server/server.h"

namespace eider {
namespace {

constexpr std::string_view kUpgrade =
    " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
// The mask is zero, so that it does not have to be applied.
constexpr std::string_view kHello{"\x81\x85\0\0\0\0hello", 11};
constexpr std::string_view kEcho = "\x81\x05hello";

/// A blocking client that owns no heap memory, because the memory of this process is measured.
class IdleClient {
 public:
  IdleClient(std::uint16_t port, std::string_view target) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
               put("GET ") && put(target) && put(kUpgrade) && get("\r\n\r\n") && put(kHello) &&
               get(kEcho);
  }
  IdleClient(IdleClient&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), is_open_(other.is_open_) {}
  IdleClient& operator=(IdleClient&&) = delete;
  ~IdleClient() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }

  /// Returns whether the connection was upgraded and has received the echo of its message.
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

 private:
  [[nodiscard]] bool put(std::string_view bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Reads until the received bytes end with `end`.
  [[nodiscard]] bool get(std::string_view end) const {
    std::array<char, 1024> bytes{};
    std::size_t size = 0;
    while (!std::string_view(bytes.data(), size).ends_with(end)) {
      const ssize_t count = ::recv(fd_, bytes.data() + size, bytes.size() - size, 0);
      if (count <= 0) {
        return false;
      }
      size += static_cast<std::size_t>(count);
    }
    return true;
  }

  int fd_;
  bool is_open_ = false;
};

Task<> echo_all(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    co_await ws.send(*message);
  }
}

App make_echoing_app() {
  App app;
  app.ws("/coroutine", echo_all);
  app.ws("/callbacks",
         WebSocketHandlers{.opened = {},
                           .message = [](WebSocketRef& socket,
                                         const WsMessage& message) { socket.try_send(message); },
                           .closed = {}});
  return app;
}

std::size_t heap_bytes() noexcept {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

class WebSocketMemory : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (!kPoolsFrames || heap_bytes() == 0) {
      GTEST_SKIP() << "a sanitizer has taken the heap's place";
    }
  }

  /// Returns the memory of each of 1,000 idle connections, or 0 without the backend.
  static std::size_t bytes_per_socket(std::string_view target) {
    const App app = make_echoing_app();
    auto service = app.make_service();
    ServerOptions options{.port = 0, .threads = 1, .backend = GetParam()};
    Server server(**service, options);
    if (!server.start()) {
      EXPECT_EQ(GetParam(), Backend::io_uring) << "only io_uring may be missing";
      return 0;
    }
    std::vector<IdleClient> clients;
    clients.reserve(1100);
    const auto open = [&](int count) {
      for (int index = 0; index < count; ++index) {
        EXPECT_TRUE(clients.emplace_back(server.port(), target).is_open());
      }
    };
    open(100);  // allocates everything that is allocated once
    const std::size_t before = heap_bytes();
    open(1000);
    return (heap_bytes() - before) / 1000;
  }
};

TEST_P(WebSocketMemory, a_coroutine_that_waits_is_idle_below_a_thousand_bytes) {
  const std::size_t bytes = bytes_per_socket("/coroutine");
  RecordProperty("bytes", std::to_string(bytes));
  EXPECT_LE(bytes, 1000U);
}

TEST_P(WebSocketMemory, callbacks_are_idle_below_768_bytes) {
  const std::size_t bytes = bytes_per_socket("/callbacks");
  RecordProperty("bytes", std::to_string(bytes));
  EXPECT_LE(bytes, 768U);
}

INSTANTIATE_TEST_SUITE_P(Backends, WebSocketMemory,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return backend.param == Backend::epoll ? "epoll" : "io_uring";
                         });

}  // namespace
}  // namespace eider
