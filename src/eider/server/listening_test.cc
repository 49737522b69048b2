// The addresses that a server listens on, with real sockets.
#include "eider/server/listening.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"

namespace eider {
namespace {

App who() {
  App app;
  app.get("/who", [](const Request& request) { return request.remote_address(); });
  return app;
}

constexpr std::string_view kWho = "GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

class Listening : public ::testing::Test {
 protected:
  /// Returns the addresses, or the detail of the error.
  std::vector<std::string> start(ServerOptions options) {
    options.threads = 2;
    service_ = who().make_service().value();
    server_ = std::make_unique<Server>(*service_, std::move(options));
    if (const auto started = server_->start(); !started) {
      return {started.error().detail()};
    }
    return server_->addresses();
  }

  /// Returns the last line of the response.
  static std::string ask(const std::string& address, std::string_view bytes) {
    const std::size_t colon = address.rfind(':');
    const auto at = address.starts_with("unix:")
                        ? SocketAddress::parse(address, 0)
                        : SocketAddress::parse(
                              address.substr(0, colon),
                              static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    const testing::Peer peer(at.value());
    EXPECT_TRUE(peer.is_connected()) << address;
    EXPECT_TRUE(peer.send(bytes));
    const std::string response = peer.receive_all();
    const std::size_t head_end = response.find("\r\n\r\n");
    return head_end == std::string::npos ? response : response.substr(head_end + 4);
  }

  static std::string path() {
    return "unix:/tmp/eider_listening_test_" + std::to_string(::getpid());
  }

 private:
  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
};

TEST_F(Listening, opens_the_first_place_last) {
  const auto at =
      start({.host = "unix:/nowhere/first", .additional_addresses = {{"unix:/nowhere/other", 0}}});
  ASSERT_EQ(at.size(), 1U);
  EXPECT_TRUE(at[0].starts_with("error[listen-failed]: Cannot listen on unix:/nowhere/other"))
      << at[0];
}

TEST_F(Listening, goes_on_at_several_places_at_once) {
  const auto at =
      start({.host = "127.0.0.1", .port = 0, .additional_addresses = {{"::1", 0}, {path(), 0}}});
  ASSERT_EQ(at.size(), 3U) << at.front();
  EXPECT_EQ(ask(at[0], kWho), "127.0.0.1");
  EXPECT_EQ(ask(at[1], kWho), "::1");
  EXPECT_TRUE(ask(at[2], kWho).starts_with("unix:"));
}

TEST_F(Listening, says_which_place_cannot_be_had) {
  const auto at = start(
      {.host = "127.0.0.1", .port = 0, .additional_addresses = {{"unix:/nowhere/at/all", 0}}});
  ASSERT_EQ(at.size(), 1U);
  EXPECT_TRUE(at[0].starts_with("error[listen-failed]: Cannot listen on unix:/nowhere/at/all: "))
      << at[0];
}

TEST_F(Listening, rejects_none_as_a_host) {
  for (const auto& at :
       {start({.host = "none"}),
        start({.host = "127.0.0.1", .port = 0, .additional_addresses = {{"none", 8080}}})}) {
    ASSERT_EQ(at.size(), 1U);
    EXPECT_TRUE(at[0].starts_with("error[invalid-address]: Cannot listen on none port 8080: "))
        << at[0];
  }
}

TEST_F(Listening, has_no_abstract_sockets) {
  for (const char* name : {"unix:@name", "unix:@"}) {
    const auto at = start({.host = name, .port = 0});
    ASSERT_EQ(at.size(), 1U);
    EXPECT_TRUE(at[0].contains("Abstract sockets (unix:@name) are not supported")) << at[0];
  }
}

TEST_F(Listening, for_systemd_needs_to_be_started_by_it) {
  const auto at = start({.host = "systemd"});
  ASSERT_EQ(at.size(), 1U);
  EXPECT_TRUE(at[0].contains("systemd did not pass a socket")) << at[0];
  EXPECT_TRUE(at[0].contains("systemd-socket-activate")) << at[0];
}

TEST_F(Listening, learns_the_client_from_a_proxy_in_front) {
  const auto at = start({.host = "127.0.0.1", .port = 0, .expects_proxy_protocol = true});
  ASSERT_EQ(at.size(), 1U);
  const std::string one = "PROXY TCP4 192.0.2.7 192.0.2.1 5000 80\r\n" + std::string(kWho);
  EXPECT_EQ(ask(at[0], one), "192.0.2.7");
  const std::string local = "PROXY UNKNOWN\r\n" + std::string(kWho);
  EXPECT_EQ(ask(at[0], local), "127.0.0.1");
  const std::string_view two(
      "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\2\x08\xc0\0\2\1\x13\x88\0\x50", 28);
  EXPECT_EQ(ask(at[0], std::string(two) + std::string(kWho)), "192.0.2.8");
}

TEST_F(Listening, closes_on_who_does_not_speak_the_proxy_protocol) {
  const auto at = start({.host = "127.0.0.1", .port = 0, .expects_proxy_protocol = true});
  ASSERT_EQ(at.size(), 1U);
  EXPECT_EQ(ask(at[0], kWho), "");
}

TEST_F(Listening, expects_the_proxy_protocol_only_where_it_was_told_to) {
  const auto at =
      start({.host = "127.0.0.1",
             .port = 0,
             .additional_addresses = {{.host = "127.0.0.1", .expects_proxy_protocol = true}}});
  ASSERT_EQ(at.size(), 2U);
  EXPECT_EQ(ask(at[0], kWho), "127.0.0.1");
  EXPECT_EQ(ask(at[1], "PROXY TCP6 2001:db8::1 ::1 1 2\r\n" + std::string(kWho)), "2001:db8::1");
}

}  // namespace
}  // namespace eider
