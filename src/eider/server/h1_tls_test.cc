// Encrypted connections, with a trivial cipher: limits of their handshakes.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_seal.h"
#include "eider/server/server.h"

namespace eider {
namespace {

using testing::sealed;
using testing::TestSeal;
using testing::TestSeals;

class ConnectionsTls : public ::testing::Test {
 protected:
  void start(Limits limits) {
    App app;
    app.get("/by", [](const Request& request) {
      return std::string(request.tls().value_or(TlsInfo()).version);
    });
    app.get("/by/blocking", blocking([](const Request& request) {
              return std::string(request.tls().value_or(TlsInfo()).version);
            }));
    service_ = app.make_service().value();
    server_ = std::make_unique<Server>(
        *service_,
        ServerOptions{
            .port = 0, .is_secure = true, .seals = seals_, .threads = 1, .limits = limits});
    ASSERT_TRUE(server_->start());
  }

  [[nodiscard]] testing::Peer connect() const {
    return testing::Peer(SocketAddress::parse("127.0.0.1", server_->port()).value());
  }
  /// A connection is accepted when its first byte arrives.
  [[nodiscard]] testing::Peer begin() const {
    testing::Peer peer = connect();
    EXPECT_TRUE(peer.send("."));
    return peer;
  }
  static std::string ask(const testing::Peer& peer, const std::string& target) {
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    EXPECT_TRUE(peer.send("H" + sealed(request)));
    EXPECT_EQ(peer.receive(1), "h");
    std::string response;
    while (response.find("\r\n\r\ntest") == std::string::npos) {
      const std::string pair = peer.receive(2);
      if (pair.size() < 2) {
        break;
      }
      response += static_cast<char>(pair[1] ^ TestSeal::kFlip);
    }
    return response;
  }

  std::shared_ptr<SealMaker> seals_ = std::make_shared<TestSeals>();
  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
};

TEST_F(ConnectionsTls, the_handler_is_told_what_was_agreed_on) {
  start({});
  EXPECT_TRUE(ask(connect(), "/by").ends_with("\r\n\r\ntest"));
  EXPECT_TRUE(ask(connect(), "/by/blocking").ends_with("\r\n\r\ntest"));
  EXPECT_TRUE(server_->urls().front().starts_with("https://127.0.0.1:"));
}

TEST_F(ConnectionsTls, a_handshake_that_stalls_is_ended) {
  start({.handshake = std::chrono::milliseconds(100)});
  const testing::Peer peer = begin();
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(ConnectionsTls, a_handshake_that_is_done_has_its_time_behind_it) {
  start({.handshake = std::chrono::milliseconds(100)});
  const testing::Peer peer = connect();
  ASSERT_TRUE(peer.send("H"));
  EXPECT_EQ(peer.receive(1), "h");
  ::poll(nullptr, 0, 300);
  ASSERT_TRUE(peer.send(sealed("GET /by HTTP/1.1\r\nHost: a\r\n\r\n")));
  EXPECT_EQ(peer.receive(16), sealed("HTTP/1.1"));
}

TEST_F(ConnectionsTls, handshakes_beyond_the_bound_are_closed_at_once) {
  start({.handshakes_max = 2});
  testing::Peer first = begin();
  const testing::Peer second = begin();
  const testing::Peer third = begin();
  EXPECT_EQ(third.receive_all(), "");
  first.close();
  bool is_served = false;
  for (int tries = 0; tries < 1000 && !is_served; ++tries) {
    const testing::Peer next = connect();
    is_served = next.send("H") && next.receive(1) == "h";
  }
  EXPECT_TRUE(is_served) << "who has left counts no more";
  EXPECT_TRUE(ask(second, "/by").ends_with("\r\n\r\ntest"));
}

}  // namespace
}  // namespace eider
