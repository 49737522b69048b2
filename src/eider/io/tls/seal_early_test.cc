// Unrequested early data: it is skipped, up to a limit, and never read.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/tls/seal_engine.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls.h"

namespace eider::detail::tls {
namespace {

constexpr std::string_view kRequest = "GET /early HTTP/1.1\r\nHost: a\r\n\r\n";

/// A plain OpenSSL client that has connected to `maker` before, and sends early data anyway.
class UnaskedEarlyData : public ::testing::Test {
 protected:
  UnaskedEarlyData() {
    options.certificate = files.write("a", make_test_certificate({.names = "DNS:a.example"}));
    maker = make_server_tls(options, nullptr).value();
    open(nullptr);
    const auto server = maker->make();
    EXPECT_TRUE(client.shake_hands(*server)) << server->failure();
    char none = 0;
    SSL_read(client.ssl.get(), &none, 1);  // the tickets follow the handshake
    ERR_clear_error();
    session.reset(SSL_SESSION_dup(SSL_get0_session(client.ssl.get())));
    SSL_SESSION_set_max_early_data(session.get(), 1'000'000);  // regardless of the ticket
  }

  void open(SSL_SESSION* resumed) {
    SSL* const made = client.open();
    SSL_set_tlsext_host_name(made, "a.example");
    SSL_set_connect_state(made);
    if (resumed != nullptr) {
      SSL_set_session(made, resumed);
    }
  }
  /// Sends it. returns  all bytes that the client has sent
  std::string send_early(std::string_view data) {
    std::size_t bytes = 0;
    EXPECT_EQ(SSL_write_early_data(client.ssl.get(), data.data(), data.size(), &bytes), 1);
    ERR_clear_error();
    return client.take();
  }
  std::string response(Buffer& wire) {
    client.give(wire.view());
    wire.clear();
    SSL_do_handshake(client.ssl.get());
    ERR_clear_error();
    return client.take();
  }

  TestFiles files;
  TlsOptions options;
  std::shared_ptr<SealMaker> maker;
  TestRawClient client;
  SessionPtr session;
};

TEST_F(UnaskedEarlyData, is_skipped_and_what_follows_the_handshake_is_read) {
  open(session.get());
  const auto server = maker->make();
  Buffer wire;
  std::array<char, 200> room{};
  ASSERT_EQ(server->feed(send_early(kRequest), wire), SealState::handshaking) << server->failure();
  EXPECT_EQ(server->read(room, wire), 0U);
  ASSERT_EQ(server->feed(response(wire), wire), SealState::open) << server->failure();
  EXPECT_EQ(server->read(room, wire), 0U);
  EXPECT_TRUE(server->tls().is_resumed);
  client.give(wire.view());
  ASSERT_GT(SSL_write(client.ssl.get(), "late", 4), 0);
  EXPECT_EQ(SSL_get_early_data_status(client.ssl.get()), SSL_EARLY_DATA_REJECTED);
  ASSERT_EQ(server->feed(client.take(), wire), SealState::open);
  const std::size_t bytes = server->read(room, wire);
  EXPECT_EQ(std::string_view(room.data(), bytes), "late");
}

TEST_F(UnaskedEarlyData, ends_the_connection_beyond_what_a_handshake_may_cost) {
  open(session.get());
  const auto server = maker->make();
  Buffer wire;
  std::size_t sent = 0;
  while (server->state() == SealState::handshaking && sent < 1'000'000) {
    sent += 1000;
    static_cast<void>(server->feed(send_early(std::string(1000, 'x')), wire));
  }
  EXPECT_EQ(server->state(), SealState::failed);
  EXPECT_LE(sent, SealEngine::kHandshakeBytesMax);
}

}  // namespace
}  // namespace eider::detail::tls
