// Both sides in memory: handshakes, data and ends, cut anywhere, damaged anywhere.
#include <gtest/gtest.h>

#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/test_pair.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls.h"
#include "eider/io/tls/tls_client.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::TestFiles;
using detail::tls::TestPair;
using detail::tls::TestRawClient;
using detail::tls::to_pem;

class Seals : public ::testing::Test {
 protected:
  Seals() {
    const auto authority = make_test_certificate({.name = "Authority", .is_authority = true});
    const auto mine =
        make_test_certificate({.name = "a.example", .names = "DNS:a.example"}, &authority);
    options.certificate = files.write("a", mine);
    options.protocols = {"h2", "http/1.1"};
    client_options.trusts_system = false;
    client_options.authorities = files.write("ca.pem", to_pem(*authority.certificate));
  }

  std::unique_ptr<Seal> accept() {
    if (maker == nullptr) {
      maker = make_server_tls(options, nullptr).value();
    }
    return maker->make();
  }

  TestPair connect(const std::vector<std::string>& protocols = {"http/1.1"}) {
    if (context == nullptr) {
      context = TlsClientContext::make(client_options).value();
    }
    auto client = context->make_seal({.host = "a.example", .protocols = protocols});
    return {*std::move(client), accept()};
  }

  static TlsFailure reason(const Seal& seal) { return dynamic_cast<const TlsSeal&>(seal).reason(); }

  TestFiles files;
  TlsOptions options;
  TlsClientOptions client_options;
  std::shared_ptr<SealMaker> maker;
  std::shared_ptr<TlsClientContext> context;
  Buffer wire;
};

TEST_F(Seals, agree_on_tls13_and_the_protocol_and_tell_the_name) {
  TestPair pair = connect({"http/1.1", "h2"});
  ASSERT_TRUE(pair.shake_hands()) << pair.client->failure() << pair.server->failure();
  const TlsInfo facts = pair.server->tls();
  EXPECT_EQ(facts.version, "TLSv1.3");
  EXPECT_EQ(facts.cipher, "TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(facts.protocol, "h2");
  EXPECT_EQ(facts.server_name, "a.example");
  EXPECT_FALSE(facts.is_resumed);
  EXPECT_TRUE(facts.client.fingerprint.empty());
  EXPECT_EQ(pair.client->tls().protocol, "h2");
}

TEST_F(Seals, serve_a_client_that_offers_no_protocol) {
  TestPair pair = connect({});
  ASSERT_TRUE(pair.shake_hands());
  EXPECT_EQ(pair.server->tls().protocol, "");
}

TEST_F(Seals, refuse_a_client_with_other_protocols) {
  TestPair pair = connect({"spdy/3", "h3"});
  EXPECT_FALSE(pair.shake_hands());
  EXPECT_EQ(reason(*pair.server), TlsFailure::protocol);
  EXPECT_EQ(reason(*pair.client), TlsFailure::refused_by_peer);
  EXPECT_EQ(pair.client->failure(),
            "the peer rejected the connection (tlsv1 alert no application protocol)");
}

TEST_F(Seals, carry_bytes_in_both_directions) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  const std::string large(100'000, 'x');
  ASSERT_TRUE(pair.client->write("hello", pair.to_server));
  ASSERT_TRUE(pair.client->write(large, pair.to_server));
  ASSERT_TRUE(pair.client->write("", pair.to_server));
  ASSERT_TRUE(pair.server->write("welcome", pair.to_client));
  pair.shake_hands();
  EXPECT_EQ(pair.at_server, "hello" + large);
  EXPECT_EQ(pair.at_client, "welcome");
}

TEST_F(Seals, work_wherever_the_bytes_are_cut) {
  for (const std::size_t bytes_max : {1U, 2U, 3U, 5U, 7U, 100U, 1000U}) {
    TestPair pair = connect();
    ASSERT_TRUE(pair.shake_hands(bytes_max)) << bytes_max;
    ASSERT_TRUE(pair.client->write("hello", pair.to_server));
    ASSERT_TRUE(pair.server->write(std::string(20'000, 'y'), pair.to_client));
    pair.shake_hands(bytes_max);
    EXPECT_EQ(pair.at_server, "hello");
    EXPECT_EQ(pair.at_client, std::string(20'000, 'y'));
  }
}

TEST_F(Seals, work_wherever_the_first_flight_is_cut_in_two) {
  const std::size_t all = connect().to_server.size();
  for (std::size_t cut = 1; cut < all; ++cut) {
    TestPair pair = connect();
    const std::string hello(pair.to_server.view());
    pair.to_server.clear();
    ASSERT_EQ(pair.server->feed(hello.substr(0, cut), pair.to_client), SealState::handshaking);
    static_cast<void>(pair.server->feed(hello.substr(cut), pair.to_client));
    ASSERT_TRUE(pair.shake_hands()) << cut;
  }
}

TEST_F(Seals, give_data_that_came_with_the_last_of_the_handshake) {
  TestPair pair = connect();
  TestPair::pass(pair.to_server, *pair.server, pair.to_client, pair.at_server, 1'000'000);
  TestPair::pass(pair.to_client, *pair.client, pair.to_server, pair.at_client, 1'000'000);
  ASSERT_EQ(pair.client->state(), SealState::open);
  ASSERT_TRUE(pair.client->write("early bird", pair.to_server));
  EXPECT_EQ(pair.server->feed(pair.to_server.view(), pair.to_client), SealState::open);
  TestPair::read_all(*pair.server, pair.to_client, pair.at_server);
  EXPECT_EQ(pair.at_server, "early bird");
}

TEST_F(Seals, keep_what_is_not_read_yet_across_feeds) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  for (const std::string_view part : {"one ", "two ", "three"}) {
    ASSERT_TRUE(pair.client->write(part, pair.to_server));
    ASSERT_EQ(pair.server->feed(pair.to_server.view(), pair.to_client), SealState::open);
    pair.to_server.clear();
    std::array<char, 1> one{};
    ASSERT_EQ(pair.server->read(one, pair.to_client), 1U);
    pair.at_server += one[0];
  }
  TestPair::read_all(*pair.server, pair.to_client, pair.at_server);
  EXPECT_EQ(pair.at_server, "one two three");
}

TEST_F(Seals, tell_an_end_from_a_truncation) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  ASSERT_TRUE(pair.client->write("bye", pair.to_server));
  pair.shake_hands();
  EXPECT_FALSE(pair.server->has_ended());
  pair.client->end(pair.to_server);
  const std::size_t notice_bytes = pair.to_server.size();
  pair.client->end(pair.to_server);
  EXPECT_EQ(pair.to_server.size(), notice_bytes) << "said once";
  pair.shake_hands();
  EXPECT_TRUE(pair.server->has_ended());
  EXPECT_EQ(pair.server->state(), SealState::open);
  EXPECT_TRUE(pair.server->write("still here", pair.to_client)) << "the other direction is open";
  pair.shake_hands();
  EXPECT_EQ(pair.at_client, "still here");
}

TEST_F(Seals, take_nothing_after_the_end) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  pair.client->end(pair.to_server);
  pair.shake_hands();
  EXPECT_FALSE(pair.client->write("more", pair.to_server));
  EXPECT_EQ(pair.server->feed("anything", pair.to_client), SealState::open);
  TestPair::read_all(*pair.server, pair.to_client, pair.at_server);
  EXPECT_EQ(pair.at_server, "");
}

TEST_F(Seals, notice_every_flipped_bit_of_a_record) {
  TestPair sample = connect();
  ASSERT_TRUE(sample.shake_hands());
  ASSERT_TRUE(sample.client->write("secret", sample.to_server));
  const std::size_t bytes = sample.to_server.size();
  for (std::size_t bit = 0; bit < bytes * 8; ++bit) {
    TestPair pair = connect();
    ASSERT_TRUE(pair.shake_hands());
    ASSERT_TRUE(pair.client->write("secret", pair.to_server));
    pair.to_server.data()[bit / 8] =
        static_cast<char>(pair.to_server.data()[bit / 8] ^ (1 << bit % 8));
    static_cast<void>(pair.server->feed(pair.to_server.view(), pair.to_client));
    TestPair::read_all(*pair.server, pair.to_client, pair.at_server);
    ASSERT_EQ(pair.at_server, "") << bit;
    // A length that has grown is noticed when the rest arrives, or never.
    const bool is_longer = pair.server->state() == SealState::open;
    ASSERT_TRUE(is_longer ? bit / 8 == 3 || bit / 8 == 4 : !pair.server->failure().empty()) << bit;
  }
}

TEST_F(Seals, name_a_damaged_record) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  ASSERT_TRUE(pair.client->write("secret", pair.to_server));
  pair.to_server.data()[pair.to_server.size() - 1] ^= 1;
  pair.shake_hands();
  EXPECT_EQ(reason(*pair.server), TlsFailure::damaged);
  EXPECT_TRUE(pair.server->failure().starts_with("a record was damaged or forged ("))
      << pair.server->failure();
  EXPECT_EQ(reason(*pair.client), TlsFailure::refused_by_peer);
  EXPECT_FALSE(pair.server->write("more", pair.to_client));
}

TEST_F(Seals, never_open_after_a_flipped_byte_of_the_handshake) {
  const std::size_t bytes = connect().to_server.size();
  constexpr std::size_t kRecordVersionBytes = 3;  // it is ignored (RFC 8446, section 5.1)
  for (std::size_t at = kRecordVersionBytes; at < bytes; ++at) {
    TestPair pair = connect();
    pair.to_server.data()[at] = static_cast<char>(pair.to_server.data()[at] ^ 0x55);
    ASSERT_FALSE(pair.shake_hands()) << at;
  }
}

TEST_F(Seals, say_that_plain_http_is_no_tls) {
  const auto server = accept();
  EXPECT_EQ(server->feed("GET / HTTP/1.1\r\nHost: a\r\n\r\n", wire), SealState::failed);
  EXPECT_EQ(reason(*server), TlsFailure::not_tls);
  EXPECT_EQ(server->failure(), "the peer does not use TLS (http request)");
}

TEST_F(Seals, refuse_what_is_no_tls) {
  for (const char* const start : {"SSH-2.0-OpenSSH_9.2\r\n", "\x80\x2e\x01\x03\x01 SSL 2", "",
                                  "\x17\x03\x03", "\x16\x03\x01"}) {
    const auto server = accept();
    EXPECT_EQ(server->feed(start + std::string(60, '\0'), wire), SealState::failed) << start;
    EXPECT_FALSE(server->failure().empty());
  }
}

/// A ClientHello that announces a length of `bytes` and continues in records of 16 KiB.
std::string endless_hello(std::size_t bytes) {
  constexpr std::size_t kPiece = 16'000;
  std::string hello("\x01", 1);
  hello += static_cast<char>(bytes >> 16);
  hello += static_cast<char>(bytes >> 8 & 0xff);
  hello += static_cast<char>(bytes & 0xff);
  hello.append(bytes, '\x03');
  std::string records;
  for (std::size_t at = 0; at < hello.size(); at += kPiece) {
    const std::string piece = hello.substr(at, kPiece);
    records += {'\x16', '\x03', '\x01', static_cast<char>(piece.size() >> 8),
                static_cast<char>(piece.size() & 0xff)};
    records += piece;
  }
  return records;
}

TEST_F(Seals, refuse_a_hello_of_more_than_64kib) {
  const auto server = accept();
  const std::string hello = endless_hello(120'000);
  std::size_t fed = 0;
  while (fed < hello.size() && server->feed(hello.substr(fed, 1000), wire) != SealState::failed) {
    fed += 1000;
  }
  EXPECT_EQ(reason(*server), TlsFailure::too_large);
  EXPECT_LE(fed, detail::tls::SealEngine::kHandshakeBytesMax + 1000);
  EXPECT_EQ(wire.view(), std::string_view("\x15\x03\x03\x00\x02\x02\x2f", 7)) << "an alert";
}

TEST_F(Seals, refuse_a_record_of_more_than_16kib) {
  const auto server = accept();
  const std::string record = std::string("\x16\x03\x01\x7f\xff", 5) + std::string(100, 'x');
  EXPECT_EQ(server->feed(record, wire), SealState::failed);
  EXPECT_EQ(static_cast<unsigned char>(wire.view().at(0)), 21U) << "an alert";
}

TEST_F(Seals, let_a_client_change_its_keys) {
  TestRawClient client;
  SSL* const ssl = client.open();
  SSL_set_connect_state(ssl);
  const auto server = accept();
  ASSERT_TRUE(client.shake_hands(*server));
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED), 1);
    ASSERT_EQ(SSL_write(ssl, "x", 1), 1);
    client.pump(*server, wire);
    char response = 0;
    SSL_read(ssl, &response, 1);  // the server's own key update
  }
  EXPECT_EQ(client.heard, std::string(100, 'x')) << server->failure();
}

TEST_F(Seals, end_after_many_new_keys_without_a_byte_between) {
  TestRawClient client;
  SSL* const ssl = client.open();
  SSL_set_connect_state(ssl);
  const auto server = accept();
  ASSERT_TRUE(client.shake_hands(*server));
  int rounds = 0;
  for (; rounds < 1000 && server->state() == SealState::open; ++rounds) {
    ASSERT_EQ(SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
    ASSERT_EQ(SSL_do_handshake(ssl), 1);
    client.pump(*server, wire);
  }
  EXPECT_EQ(reason(*server), TlsFailure::too_many_updates);
  EXPECT_NEAR(rounds, 33, 2);
}

TEST_F(Seals, end_when_a_client_wants_to_renegotiate) {
  TestRawClient client;
  SSL_CTX_set_max_proto_version(client.context.get(), TLS1_2_VERSION);
  SSL* const ssl = client.open();
  SSL_set_connect_state(ssl);
  const auto server = accept();
  ASSERT_TRUE(client.shake_hands(*server));
  ASSERT_EQ(SSL_renegotiate(ssl), 1);
  SSL_do_handshake(ssl);
  client.pump(*server, wire);
  EXPECT_EQ(reason(*server), TlsFailure::renegotiation) << server->failure();
}

TEST_F(Seals, survive_their_context) {
  TestPair pair = connect();
  maker.reset();
  context.reset();
  ASSERT_TRUE(pair.shake_hands());
  EXPECT_EQ(pair.server->tls().protocol, "http/1.1");
}

}  // namespace
}  // namespace eider
