// Keys of tickets rotate with the time of their use, and are removed when they are too old.
#include "eider/io/tls/ticket_keys.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "eider/io/tls/server_tls.h"
#include "eider/io/tls/test_pair.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/tls_client.h"

namespace eider::detail::tls {
namespace {

constexpr Instant kFirst{std::chrono::hours(100)};
constexpr Duration kJustLess = TicketKeys::kTurn - std::chrono::nanoseconds(1);

TEST(TicketKeys, stay_the_same_for_a_turn) {
  TicketKeys keys(kFirst);
  const auto first = keys.newest(kFirst);
  EXPECT_EQ(first->name, keys.newest(kFirst + kJustLess)->name);
  EXPECT_NE(first->name, keys.newest(kFirst + TicketKeys::kTurn)->name);
}

TEST(TicketKeys, are_random_in_all_parts) {
  const auto one = TicketKeys(kFirst).newest(kFirst);
  const auto other = TicketKeys(kFirst).newest(kFirst);
  EXPECT_NE(one->name, other->name);
  EXPECT_NE(one->cipher, other->cipher);
  EXPECT_NE(one->mac, other->mac);
  EXPECT_NE(one->cipher, one->mac);
}

TEST(TicketKeys, read_old_tickets_for_two_turns_more) {
  TicketKeys keys(kFirst);
  const auto first = keys.newest(kFirst);
  for (int turn = 0; turn < 3; ++turn) {
    const auto found = keys.find(first->name, kFirst + turn * TicketKeys::kTurn + kJustLess);
    ASSERT_TRUE(found.has_value()) << turn;
    EXPECT_EQ(found->key.cipher, first->cipher);
    EXPECT_EQ(found->key.mac, first->mac);
    EXPECT_EQ(found->is_newest, turn == 0);
  }
  EXPECT_FALSE(keys.find(first->name, kFirst + 3 * TicketKeys::kTurn).has_value());
}

TEST(TicketKeys, are_too_old_after_a_pause_too) {
  TicketKeys keys(kFirst);
  const auto first = keys.newest(kFirst);
  EXPECT_FALSE(keys.find(first->name, kFirst + 100 * TicketKeys::kTurn).has_value());
  EXPECT_FALSE(keys.find(first->name, kFirst + kJustLess).has_value()) << "wiped, not hidden";
}

TEST(TicketKeys, know_no_other_names) {
  TicketKeys keys(kFirst);
  auto name = keys.newest(kFirst)->name;
  name[15] ^= 1;
  EXPECT_FALSE(keys.find(name, kFirst).has_value());
  EXPECT_FALSE(keys.find(std::array<std::uint8_t, 16>{}, kFirst).has_value());
}

TEST(TicketKeys, are_whole_for_threads_that_read_while_they_turn) {
  TicketKeys keys(kFirst);
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 2000; ++turn) {
        const Instant now = kFirst + turn * TicketKeys::kTurn;
        const auto newest = keys.newest(now);
        const auto found = keys.find(newest->name, now);
        // Another thread may be several periods ahead, and the key is then gone; but a key must
        // never be half overwritten.
        torn += found && (found->key.cipher != newest->cipher || found->key.mac != newest->mac);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(torn, 0);
}

/// A server whose clock the test sets.
class Resumption : public ::testing::Test {
 protected:
  Resumption() {
    now = kFirst;
    server_options.certificate = files.write("a", certificate);
    client_options.trusts_system = false;
    client_options.authorities = server_options.certificate.certificate;
    client = TlsClientContext::make(client_options).value();
    server = make_server();
  }

  std::shared_ptr<ServerTls> make_server() {
    return ServerTls::make(server_options, nullptr, {.steady = [] { return now; }}).value();
  }

  bool is_resumed() {
    TestPair pair(client->make_seal({.host = "a.example"}).value(), server->make());
    EXPECT_TRUE(pair.shake_hands()) << pair.client->failure();
    EXPECT_EQ(pair.client->tls().is_resumed, pair.server->tls().is_resumed);
    return pair.server->tls().is_resumed;
  }

  static inline Instant now;
  TestFiles files;
  TestCertificate certificate = make_test_certificate({.names = "DNS:a.example"});
  TlsOptions server_options;
  TlsClientOptions client_options;
  std::shared_ptr<TlsClientContext> client;
  std::shared_ptr<ServerTls> server;
};

TEST_F(Resumption, works_while_the_key_is_kept) {
  EXPECT_FALSE(is_resumed());
  EXPECT_TRUE(is_resumed());
  now += 2 * TicketKeys::kTurn;
  EXPECT_TRUE(is_resumed());
}

TEST_F(Resumption, is_a_full_handshake_when_the_key_is_gone) {
  EXPECT_FALSE(is_resumed());
  now += 3 * TicketKeys::kTurn;
  EXPECT_FALSE(is_resumed());
  EXPECT_TRUE(is_resumed());
}

TEST_F(Resumption, outlives_a_new_certificate) {
  EXPECT_FALSE(is_resumed());
  files.write("a.key", to_pem(*certificate.key) + "\n");
  now += ServerTls::kLookEvery;
  EXPECT_TRUE(is_resumed());
}

TEST_F(Resumption, does_not_cross_servers) {
  EXPECT_FALSE(is_resumed());
  server = make_server();
  EXPECT_FALSE(is_resumed());
}

TEST_F(Resumption, uses_a_ticket_of_tls13_once) {
  EXPECT_FALSE(is_resumed());  // leaves two tickets
  TestPair one(client->make_seal({.host = "a.example"}).value(), server->make());
  TestPair two(client->make_seal({.host = "a.example"}).value(), server->make());
  TestPair three(client->make_seal({.host = "a.example"}).value(), server->make());
  EXPECT_TRUE(one.shake_hands() && one.client->tls().is_resumed);
  EXPECT_TRUE(two.shake_hands() && two.client->tls().is_resumed);
  EXPECT_TRUE(three.shake_hands() && !three.client->tls().is_resumed);
}

TEST_F(Resumption, is_for_the_same_host_and_port) {
  EXPECT_FALSE(is_resumed());
  TestPair other(client->make_seal({.host = "a.example", .port = 8443}).value(), server->make());
  EXPECT_TRUE(other.shake_hands());
  EXPECT_FALSE(other.client->tls().is_resumed);
}

}  // namespace
}  // namespace eider::detail::tls
