// Requests that come in early data, by a seal that anybody can break: who is served, who is put
// off, and what bounds it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/runtime/detail/test_peer.h"
#include "eider/runtime/detail/test_seal.h"
#include "eider/runtime/sleep.h"
#include "eider/server/server.h"

namespace eider {
namespace {

using testing::Peer;
using testing::sealed;
using testing::TestSeal;
using testing::TestSeals;

std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string_view early_or_not(const Request& request) {
  return request.is_early() ? "early." : "not early.";
}

/// What the other side has sealed, whatever the handshake says in between.
std::string opened(std::string_view wire) {
  std::string plain;
  for (std::size_t at = 0; at < wire.size(); ++at) {
    if (wire[at] == 'D' && at + 1 < wire.size()) {
      plain += static_cast<char>(wire[++at] ^ TestSeal::kFlip);
    }
  }
  return plain;
}

class ConnectionsEarly : public ::testing::Test {
 protected:
  void start(Limits limits = {}) {
    App app;
    app.get("/may", early_or_not).allow_early_data();
    app.get("/may/later",
            [](const Request& request) -> Task<std::string> {
              const bool is_early = request.is_early();
              co_await sleep_for(std::chrono::milliseconds(50));
              co_return is_early ? "early." : "not early.";
            })
        .allow_early_data();
    app.get("/may/never",
            []() -> Task<std::string> {
              co_await sleep_for(std::chrono::hours(1));
              co_return "never.";
            })
        .allow_early_data();
    app.get("/not", early_or_not);
    app.post("/not", early_or_not);
    service_ = app.make_service().value();
    server_ = std::make_unique<Server>(
        *service_,
        ServerOptions{
            .port = 0, .is_secure = true, .seals = seals_, .threads = 1, .limits = limits});
    ASSERT_TRUE(server_->start());
  }
  [[nodiscard]] Peer connect() const {
    return Peer(Address::parse("127.0.0.1", server_->port()).value());
  }
  /// Until the plaintext ends like that, or nothing comes.
  static std::string receive(const Peer& peer, std::string_view end) {
    std::string wire;
    while (!opened(wire).ends_with(end)) {
      const std::string more = peer.receive(1);
      if (more.empty()) {
        break;
      }
      wire += more;
    }
    return opened(wire);
  }
  static std::string status_of(const std::string& answer) { return answer.substr(0, 12); }

  std::shared_ptr<SealMaker> seals_ = std::make_shared<TestSeals>();
  std::unique_ptr<Service> service_;
  std::unique_ptr<Server> server_;
};

TEST_F(ConnectionsEarly, a_route_that_allows_it_answers_before_the_handshakes_end) {
  start();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/may"))));
  const std::string answer = receive(peer, "early.");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nearly.")) << answer;
  ASSERT_TRUE(peer.send("H" + sealed(get("/may"))));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nnot early."));
}

TEST_F(ConnectionsEarly, another_route_puts_it_off_and_the_connection_stays) {
  start();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/not"))));
  const std::string answer = receive(peer, "}");
  EXPECT_EQ(status_of(answer), "HTTP/1.1 425");
  EXPECT_EQ(answer.find("Connection: close"), std::string::npos);
  EXPECT_NE(answer.find("application/problem+json"), std::string::npos);
  ASSERT_TRUE(peer.send("H" + sealed(get("/not"))));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nnot early."));
}

TEST_F(ConnectionsEarly, what_nobody_serves_is_put_off_too) {
  start();
  for (const std::string_view path : {"/", "/may/absent", "/not/"}) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("Q" + sealed(get(path))));
    EXPECT_EQ(status_of(receive(peer, "}")), "HTTP/1.1 425") << path;
  }
}

TEST_F(ConnectionsEarly, content_and_upgrades_are_put_off_on_any_route) {
  start();
  for (const std::string_view fields : {"Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
                                        "Connection: Upgrade\r\nUpgrade: websocket\r\n",
                                        "Content-Length: 1000000000\r\nExpect: 100-continue\r\n"}) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("Q" + sealed(get("/may", fields))));
    EXPECT_EQ(status_of(receive(peer, "}")), "HTTP/1.1 425") << fields;
  }
}

TEST_F(ConnectionsEarly, a_post_with_its_content_is_put_off_and_the_connection_stays) {
  start();
  const Peer peer = connect();
  const std::string post = "POST /not HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  ASSERT_TRUE(peer.send("Q" + sealed(post)));
  EXPECT_EQ(status_of(receive(peer, "}")), "HTTP/1.1 425");
  ASSERT_TRUE(peer.send("H" + sealed(post)));
  EXPECT_EQ(status_of(receive(peer, "early.")), "HTTP/1.1 200");
}

TEST_F(ConnectionsEarly, a_request_that_began_in_it_is_early_wherever_it_is_cut) {
  start();
  const std::string request = get("/may");
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("Q" + sealed(request.substr(0, cut)) + "H" +
                          sealed(request.substr(cut) + request)));
    const std::string answers = receive(peer, "\r\n\r\nnot early.");
    ASSERT_NE(answers.find("\r\n\r\nearly."), std::string::npos) << cut;
  }
}

TEST_F(ConnectionsEarly, a_request_that_comes_in_single_bytes_is_early_too) {
  start();
  const Peer peer = connect();
  const std::string request = get("/may");
  std::string wire = "Q" + sealed(request.substr(0, 10)) + "H" + sealed(request.substr(10));
  for (const char byte : wire + sealed(request)) {
    ASSERT_TRUE(peer.send({&byte, 1}));
  }
  const std::string answers = receive(peer, "\r\n\r\nnot early.");
  EXPECT_NE(answers.find("\r\n\r\nearly."), std::string::npos) << answers;
}

TEST_F(ConnectionsEarly, what_is_asked_behind_one_that_waits_is_told_by_when_it_came) {
  start();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/may/later") + get("/may") + get("/not")) + "H" +
                        sealed(get("/may"))));
  const std::string answers = receive(peer, "\r\n\r\nnot early.");
  const std::size_t first = answers.find("\r\n\r\nearly.");
  ASSERT_NE(first, std::string::npos) << answers;
  EXPECT_NE(answers.find("\r\n\r\nearly.", first + 1), std::string::npos);
  EXPECT_NE(answers.find("HTTP/1.1 425"), std::string::npos);
}

TEST_F(ConnectionsEarly, an_answer_that_waits_may_come_behind_the_handshake) {
  start();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/may/later"))));
  ASSERT_TRUE(peer.send("H"));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nearly."));
}

TEST_F(ConnectionsEarly, the_last_answer_is_ended_in_order) {
  start();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/may", "Connection: close\r\n"))));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nearly."));
  ASSERT_TRUE(peer.send("H"));
  EXPECT_EQ(peer.receive(2), "hE") << "with the word that this is the end";
}

TEST_F(ConnectionsEarly, a_handshake_that_is_never_done_is_ended_in_its_time) {
  start({.handshake = std::chrono::milliseconds(100)});
  for (const std::string_view path : {"/may", "/not", "/may/never"}) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("Q" + sealed(get(path) + "GET /half")));
    (void)peer.receive_all();  // or the test hangs
  }
}

TEST_F(ConnectionsEarly, a_handshake_that_is_done_leaves_all_its_time_to_the_answer) {
  start({.handshake = std::chrono::milliseconds(100)});
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed(get("/may/later")) + "H"));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nearly."));
  ::poll(nullptr, 0, 200);
  ASSERT_TRUE(peer.send(sealed(get("/may"))));
  EXPECT_TRUE(receive(peer, "early.").ends_with("\r\n\r\nnot early."));
}

TEST_F(ConnectionsEarly, they_count_as_handshakes_until_they_are_done) {
  start({.handshakes_max = 1});
  const Peer first = connect();
  ASSERT_TRUE(first.send("Q" + sealed(get("/may"))));
  (void)receive(first, "early.");
  const Peer second = connect();
  ASSERT_TRUE(second.send("Q" + sealed(get("/may"))));
  EXPECT_EQ(second.receive_all(), "");
  ASSERT_TRUE(first.send("H"));
  EXPECT_EQ(first.receive(1), "h");
  const Peer third = connect();
  ASSERT_TRUE(third.send("Q" + sealed(get("/may"))));
  EXPECT_TRUE(receive(third, "early.").ends_with("early."));
}

}  // namespace
}  // namespace eider
