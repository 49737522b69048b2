// HTTP/2 in early data, by a seal that anybody can break: each stream by when it was opened.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/http2/http2.h"
#include "eider/runtime/detail/test_peer.h"
#include "eider/runtime/detail/test_seal.h"
#include "eider/server/server.h"
#include "tests/support/h2_server.h"

namespace eider::detail::test {
namespace {

using eider::testing::Peer;
using eider::testing::sealed;
using eider::testing::TestSeal;
using eider::testing::TestSeals;

std::string_view early_or_not(const Request& request) {
  return request.is_early() ? "early" : "in time";
}

std::string begin() {
  return std::string(h2::kPreface) + frame(Type::settings, 0, 0);
}

class H2Early : public ::testing::Test {
 protected:
  H2Early() {
    App app;
    app.get("/may", early_or_not).allow_early_data();
    app.get("/not", early_or_not);
    app.post("/may", early_or_not);
    service_ = app.make_service().value();
    server_ = std::make_unique<Server>(*service_,
                                       ServerOptions{.port = 0,
                                                     .is_secure = true,
                                                     .seals = std::make_shared<TestSeals>(),
                                                     .threads = 1,
                                                     .protocol = std::make_shared<TestProtocol>()});
    EXPECT_TRUE(server_->start());
    peer_ = std::make_unique<Peer>(Address::parse("127.0.0.1", server_->port()).value());
  }

  void send(const std::string& wire) const { ASSERT_TRUE(peer_->send(wire)); }
  /// The whole answer on that stream.
  std::string answer(std::uint32_t stream) {
    while (!is_between_frames() || !received_on(plain_, stream).is_whole) {
      const std::string next = peer_->receive(1);
      if (next.empty()) {
        return "nothing";
      }
      if (is_data_) {
        plain_ += static_cast<char>(next.front() ^ TestSeal::kFlip);
      }
      is_data_ = !is_data_ && next == "D";
    }
    return received_on(plain_, stream).content;
  }

  /// All that has come is whole frames.
  [[nodiscard]] bool is_between_frames() const {
    constexpr std::size_t kHeadBytes = 9;
    std::size_t at = 0;
    while (at + kHeadBytes <= plain_.size()) {
      const auto byte = [&](std::size_t index) {
        return std::size_t{static_cast<unsigned char>(plain_[at + index])};
      };
      at += kHeadBytes + (byte(0) << 16U | byte(1) << 8U | byte(2));
    }
    return at == plain_.size();
  }

  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Peer> peer_;
  std::string plain_;
  bool is_data_ = false;
};

TEST_F(H2Early, is_answered_before_the_handshakes_end) {
  send("Q" + sealed(begin() + get(1, "/may") + get(3, "/not")));
  EXPECT_EQ(answer(1), "early");
  EXPECT_NE(answer(3).find("\"status\":425"), std::string::npos) << answer(3);
  send("H" + sealed(get(5, "/may") + get(7, "/not")));
  EXPECT_EQ(answer(5), "in time");
  EXPECT_EQ(answer(7), "in time");
}

TEST_F(H2Early, is_what_began_early) {
  const std::string request = get(1, "/may");
  const std::size_t half = request.size() / 2;
  send("Q" + sealed(begin() + request.substr(0, half)) + "H" +
       sealed(request.substr(half) + get(3, "/may")));
  EXPECT_EQ(answer(1), "early");
  EXPECT_EQ(answer(3), "in time");
}

TEST_F(H2Early, puts_content_and_websockets_off) {
  const std::string connect = literal(":method", "CONNECT") + literal(":protocol", "websocket") +
                              literal(":scheme", "https") + literal(":path", "/may") +
                              literal(":authority", "h");
  send("Q" + sealed(begin() + post(1, "/may") + frame(Type::data, kEndStream, 1, "x") +
                    frame(Type::headers, kEndHeaders, 3, connect)));
  EXPECT_NE(answer(1).find("\"status\":425"), std::string::npos) << answer(1);
  EXPECT_NE(answer(3).find("\"status\":425"), std::string::npos) << answer(3);
}

}  // namespace
}  // namespace eider::detail::test
