// The protocol for https:// servers, and the calls that wait until it is known. These tests use no
// encryption: the server's first line contains the result of ALPN.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "eider/io/tls/tls_client.h"
#include "tests/support/h2_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class NamedSeal final : public TlsSeal {
 public:
  explicit NamedSeal(const TlsServerName& server) {
    for (const std::string& protocol : server.protocols) {
      offer_ += offer_.empty() ? protocol : "," + protocol;
    }
  }
  void start(Buffer& wire) override { wire.append("offer " + offer_ + "\n"); }
  SealState feed(std::string_view ciphertext, Buffer&) override {
    text_ += ciphertext;
    const std::size_t end = text_.find('\n');
    if (!is_open_ && end != std::string::npos) {
      is_open_ = true;
      protocol_ = text_.substr(0, end);
      text_.erase(0, end + 1);
    }
    return state();
  }
  std::size_t read(std::span<char> into, Buffer&) override {
    const std::size_t bytes = is_open_ ? text_.copy(into.data(), into.size()) : 0;
    text_.erase(0, bytes);
    return bytes;
  }
  bool write(std::string_view plaintext, Buffer& wire) override {
    wire.append(plaintext);
    return true;
  }
  void end(Buffer&) override {}
  SealState state() const noexcept override {
    return is_open_ ? SealState::open : SealState::handshaking;
  }
  bool has_ended() const noexcept override { return false; }
  std::string_view failure() const noexcept override { return {}; }
  TlsInfo tls() const override { return {.protocol = protocol_}; }
  TlsFailure reason() const noexcept override { return TlsFailure::none; }

 private:
  std::string offer_;
  std::string text_;
  std::string protocol_;
  bool is_open_ = false;
};

class NamedTls final : public TlsClientContext {
 public:
  Result<std::unique_ptr<TlsSeal>> make_seal(const TlsServerName& server) override {
    return std::unique_ptr<TlsSeal>(std::make_unique<NamedSeal>(server));
  }
};

ClientOptions options_with(Http2Use use) {
  ClientOptions options;
  options.http2 = use;
  options.retries_max = 0;
  options.tls_context = std::make_shared<NamedTls>();
  return options;
}

class Negotiated : public H2Line {
 public:
  explicit Negotiated(Http2Use use = Http2Use::negotiated) : H2Line(options_with(use), use) {}
  /// Starts this many requests at once.
  std::vector<SentRequest*> get_many(int count) {
    std::vector<SentRequest*> asked;
    for (int index = 0; index < count; ++index) {
      asked.push_back(&get("https://a/"));
    }
    return asked;
  }
};

TEST(ClientNegotiation, offers_both_and_shares_what_speaks_http_2) {
  Negotiated line;
  const auto asked = line.get_many(50);
  ASSERT_EQ(line.peers.size(), 1U) << "all wait for what the first one finds out";
  EXPECT_EQ(line.sent(), "offer h2,http/1.1\n");
  line.say("h2\n" + greeting());  // in the last message of the handshake
  EXPECT_EQ(line.peers.size(), 1U);
  EXPECT_EQ(line.requests().size(), 50U);
  std::string responses;
  for (std::uint32_t stream = 1; stream < 100; stream += 2) {
    responses += h2_response(stream, "x");
  }
  line.say(responses);
  EXPECT_TRUE(std::ranges::all_of(asked, [](SentRequest* one) { return one->text() == "200 x"; }));
}

TEST(ClientNegotiation, opens_connections_for_all_to_who_speaks_http_1_only) {
  for (const std::string_view chosen : {"http/1.1\n", "\n"}) {
    Negotiated line;
    const auto asked = line.get_many(5);
    ASSERT_EQ(line.peers.size(), 1U);
    line.say(chosen);
    ASSERT_EQ(line.peers.size(), 5U);
    EXPECT_EQ(line.sent(4), "offer http/1.1\n") << "it is known now";
    for (std::size_t index = 1; index < 5; ++index) {
      line.say(chosen, index);
    }
    for (std::size_t index = 0; index < 5; ++index) {
      line.say(response("x"), index);
    }
    EXPECT_TRUE(
        std::ranges::all_of(asked, [](SentRequest* one) { return one->text() == "200 x"; }));
    line.get("https://a/");
    EXPECT_EQ(line.peers.size(), 5U) << "which are kept";
  }
}

TEST(ClientNegotiation, does_not_wait_where_only_http_1_is_wanted) {
  Negotiated line(Http2Use::never);
  line.get_many(3);
  ASSERT_EQ(line.peers.size(), 3U);
  EXPECT_EQ(line.sent(), "offer http/1.1\n");
}

TEST(ClientNegotiation, takes_nothing_else_where_only_http_2_is_wanted) {
  Negotiated line(Http2Use::always);
  const SentRequest& asked = line.get("https://a/");
  EXPECT_EQ(line.sent(), "offer h2\n");
  line.say("\n");
  EXPECT_EQ(asked.text(), "tls_failed");
  EXPECT_TRUE(asked.reply->error().text.contains("HTTP/2"));
}

TEST(ClientNegotiation, takes_no_protocol_that_was_not_offered) {
  for (const Http2Use use : {Http2Use::negotiated, Http2Use::never, Http2Use::always}) {
    Negotiated line(use);
    const SentRequest& asked = line.get("https://a/");
    line.say("spdy\n");
    EXPECT_EQ(asked.text(), "tls_failed");
  }
}

TEST(ClientNegotiation, asks_in_http_1_who_wants_that) {
  Negotiated line;
  const SentRequest& asked = line.get("https://a/");
  line.say("h2\n" + greeting() + testing::reset(1, 13));
  ASSERT_EQ(line.peers.size(), 2U);
  EXPECT_EQ(line.sent(1), "offer http/1.1\n");
  line.say("http/1.1\n", 1);
  line.say(response("x"), 1);
  EXPECT_EQ(asked.text(), "200 x");
}

TEST(ClientNegotiation, goes_on_when_the_call_that_opened_is_cancelled) {
  Negotiated line;
  const auto asked = line.get_many(3);
  line.loop.call([&] { asked[0]->task = Task<>(); });
  ASSERT_EQ(line.peers.size(), 2U) << "one of the others opens, and one waits";
  static_cast<void>(line.sent(1));
  line.say("h2\n" + greeting(), 1);
  EXPECT_EQ(line.requests(1).size(), 2U);
}

TEST(ClientNegotiation, goes_on_when_a_call_that_waits_is_cancelled) {
  Negotiated line;
  const auto asked = line.get_many(3);
  line.loop.call([&] { asked[1]->task = Task<>(); });
  static_cast<void>(line.sent());
  line.say("h2\n" + greeting());
  EXPECT_EQ(line.requests().size(), 2U);
}

TEST(ClientNegotiation, fails_all_at_once_when_the_server_ends_the_handshake) {
  Negotiated line;
  const auto asked = line.get_many(20);
  line.end();
  EXPECT_TRUE(
      std::ranges::all_of(asked, [](SentRequest* one) { return one->text() == "tls_failed"; }));
  EXPECT_EQ(line.peers.size(), 1U);
}

}  // namespace
}  // namespace eider
