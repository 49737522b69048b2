// Counts heap allocations per request: a plain handler must need none after a warm-up.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/poison.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/server.h"
#include "eider/web/middleware/request_id.h"

namespace {
std::atomic<std::uint64_t> allocation_count{0};
}

namespace {
[[gnu::noinline]] void* counted(std::size_t bytes) noexcept {
  allocation_count.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* counted_or_throw(std::size_t bytes) {
  void* memory = counted(bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
}  // namespace

// Replacements for the whole program: the thread of the server, and that of the test, which does
// not allocate while it counts. All forms are replaced, so that none is paired with one of a
// sanitizer. They are not inlined, because g++ would report a mismatch of new and free.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return counted_or_throw(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
  return counted_or_throw(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace eider {
namespace {

struct Message {
  std::string_view message;
};

/// A blocking client that owns no heap memory.
class PlainClient {
 public:
  explicit PlainClient(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ =
        ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~PlainClient() { ::close(fd_); }
  PlainClient(const PlainClient&) = delete;
  PlainClient& operator=(const PlainClient&) = delete;

  /// Returns whether the response was `head` and `body`.
  bool call(std::string_view request, std::string_view head, std::string_view body) {
    if (!is_connected_ || ::send(fd_, request.data(), request.size(), 0) < 0) {
      return false;
    }
    std::size_t bytes = 0;
    while (bytes < response_.size()) {
      const ssize_t got = ::recv(fd_, response_.data() + bytes, response_.size() - bytes, 0);
      if (got <= 0) {
        return false;
      }
      bytes += static_cast<std::size_t>(got);
      if (std::string_view(response_.data(), bytes).ends_with(body)) {
        return std::string_view(response_.data(), bytes).starts_with(head);
      }
    }
    return false;
  }

 private:
  int fd_;
  bool is_connected_ = false;
  std::array<char, 4096> response_{};
};

/// The value that a guard stores.
struct Asked {
  std::string_view accepts;
};

std::atomic<std::uint64_t> observed_bytes = 0;

App make_app() {
  App app;
  app.use(request_id());
  app.observe([](const ResponseEvent& record) { observed_bytes += record.bytes_out; });
  app.on_request([](Request& request) { static_cast<void>(request.path()); });
  app.get("/plaintext", [] { return "Hello, World!"; });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/users/{id}/posts/{post}",
          [](int id, std::string_view post) { return id == 7 ? post : std::string_view("other"); });
  Routes guarded = app.group("/guarded");
  guarded.guard([](Header<"accept"> accept) { return Asked{*accept}; });
  guarded.get("/", [](Extension<Asked> asked) { return asked->accepts; });
  app.post("/size", [](Body content) { return content.size(); });
  app.get("/encoded/{text}", [](std::string_view text) { return text; });
  app.ws("/task", [](WebSocket ws) -> Task<> {
    auto message = co_await ws.receive();
    while (message) {
      co_await ws.send(*message);
      message = co_await ws.receive();
    }
  });
  app.ws("/callbacks",
         WebSocketHandlers{.message = [](WebSocketRef& socket, const WsMessage& message) {
           socket.try_send(message);
         }});
  return app;
}

class Allocations : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (detail::base::kSeesPoison) {
      GTEST_SKIP() << "what threads keep for reuse goes to the heap under AddressSanitizer";
    }
  }
  /// Returns the number of allocations of 1,000 requests, after 100 requests as a warm-up.
  std::uint64_t count(const char* path, std::string_view body) {
    return count({}, std::string("GET ") + path + " HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
                 "HTTP/1.1 200 OK\r\n", body);
  }
  /// The same for requests whose body is sent with the headers.
  std::uint64_t count_posts(const char* path, const std::string& content, std::string_view body) {
    return count({},
                 std::string("POST ") + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " +
                     std::to_string(content.size()) + "\r\n\r\n" + content,
                 "HTTP/1.1 200 OK\r\n", body);
  }
  /// The same for WebSocket messages that are echoed.
  std::uint64_t count_messages(const char* path) {
    const std::string opening =
        std::string("GET ") + path +
        " HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    const std::string frame("\x81\x85\0\0\0\0hello", 11);
    return count(opening, frame, "\x81\x05", "hello");
  }

 private:
  std::uint64_t count(const std::string& opening, const std::string& request, std::string_view head,
                      std::string_view body) {
    const App app = make_app();
    auto service = app.make_service();
    EXPECT_TRUE(service.has_value());
    ServerOptions options;
    options.port = 0;
    options.threads = 1;
    options.backend = GetParam();
    Server server(**service, options);
    if (!server.start()) {
      EXPECT_EQ(GetParam(), Backend::io_uring) << "only io_uring may be missing";
      return 0;
    }
    PlainClient client(server.port());
    EXPECT_TRUE(opening.empty() || client.call(opening, "HTTP/1.1 101", "\r\n\r\n"));
    int answered = 0;
    for (int i = 0; i < 100; ++i) {
      answered += client.call(request, head, body) ? 1 : 0;
    }
    const std::uint64_t before = allocation_count.load();
    for (int i = 0; i < 1000; ++i) {
      answered += client.call(request, head, body) ? 1 : 0;
    }
    const std::uint64_t after = allocation_count.load();
    EXPECT_EQ(answered, 1100);
    return after - before;
  }
};

TEST_P(Allocations, a_websockets_message_costs_none) {
  EXPECT_EQ(count_messages("/task"), 0U);
  EXPECT_EQ(count_messages("/callbacks"), 0U);
}
TEST_P(Allocations, a_plain_handler_costs_none) {
  EXPECT_EQ(count("/plaintext", "Hello, World!"), 0U);
}
TEST_P(Allocations, json_costs_none) {
  EXPECT_EQ(count("/json", "World!\"}"), 0U);
}
TEST_P(Allocations, typed_path_values_cost_none) {
  EXPECT_EQ(count("/users/7/posts/abc?x=1", "abc"), 0U);
}
TEST_P(Allocations, decoded_path_values_cost_none) {
  EXPECT_EQ(count("/encoded/a%20b", "a b"), 0U);
}

TEST_P(Allocations, content_that_has_come_whole_costs_none) {
  EXPECT_EQ(count_posts("/size", "hello", "5"), 0U);
}

TEST_P(Allocations, a_plain_guard_and_its_slot_cost_none) {
  EXPECT_EQ(count("/guarded/", "*/*"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Backends, Allocations,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return backend.param == Backend::epoll ? "epoll" : "io_uring";
                         });

}  // namespace
}  // namespace eider
