// The client's address: how often the kernel is called for it.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"

namespace {

std::atomic<int> peers_asked = 0;

}  // namespace

// Replaces the C library's function in this program.
extern "C" int getpeername(int fd, sockaddr* address, socklen_t* bytes) noexcept {
  ++peers_asked;
  return static_cast<int>(::syscall(SYS_getpeername, fd, address, bytes));
}

namespace eider {
namespace {

std::string get_line(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

class ClientAddress : public ::testing::Test {
 protected:
  void SetUp() override {
    App app;
    app.get("/who", [](const Request& request) { return request.remote_address(); });
    app.get("/async/who",
            [](Request& request) -> Task<std::string> { co_return request.remote_address(); });
    app.get("/plain", [] { return "no address"; });
    service_ = app.make_service().value();
    server_ = std::make_unique<Server>(
        *service_, ServerOptions{.port = 0, .limits = {.connections_per_address_max = 0}});
    ASSERT_TRUE(server_->start());
    client_.emplace(SocketAddress::parse("127.0.0.1", server_->port()).value());
    EXPECT_TRUE(get_text("/plain").ends_with("no address"));
  }

  std::string get_text(std::string_view path) {
    const std::string_view text = path == "/plain" ? "no address" : "127.0.0.1";
    EXPECT_TRUE(client_->send(get_line(path)));
    std::string response;
    while (!response.ends_with(text)) {
      const std::string more = client_->receive(1);
      if (more.empty()) {
        break;
      }
      response += more;
    }
    return response;
  }

  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
  std::optional<testing::Peer> client_;
};

TEST_F(ClientAddress, is_asked_once_for_all_requests_of_a_connection) {
  const int before = peers_asked;
  for (int round = 0; round < 10; ++round) {
    EXPECT_TRUE(get_text("/who").ends_with("\r\n127.0.0.1"));
    EXPECT_TRUE(get_text("/async/who").ends_with("\r\n127.0.0.1"));
  }
  EXPECT_EQ(peers_asked - before, 1);
}

TEST_F(ClientAddress, is_not_asked_if_no_handler_needs_it) {
  const int before = peers_asked;
  EXPECT_TRUE(get_text("/plain").ends_with("\r\nno address"));
  EXPECT_EQ(peers_asked - before, 0);
}

}  // namespace
}  // namespace eider
