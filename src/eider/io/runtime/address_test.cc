#include "eider/io/runtime/address.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>

#include "eider/io/runtime/descriptor.h"

namespace eider {
namespace {

struct Good {
  const char* host;
  std::uint16_t port;
  const char* text;
  int family;
};

class GoodAddress : public ::testing::TestWithParam<Good> {};
INSTANTIATE_TEST_SUITE_P(Table, GoodAddress,
                         ::testing::Values(Good{"127.0.0.1", 80, "127.0.0.1:80", AF_INET},
                                           Good{"0.0.0.0", 65535, "0.0.0.0:65535", AF_INET},
                                           Good{"255.255.255.255", 1, "255.255.255.255:1", AF_INET},
                                           Good{"10.200.0.99", 1, "10.200.0.99:1", AF_INET},
                                           Good{"localhost", 1, "127.0.0.1:1", AF_INET},
                                           Good{"::1", 8080, "[::1]:8080", AF_INET6},
                                           Good{"[::1]", 8080, "[::1]:8080", AF_INET6},
                                           Good{"::", 0, "[::]:0", AF_INET6},
                                           Good{"2001:DB8::0:1", 1, "[2001:db8::1]:1", AF_INET6},
                                           Good{"unix:/run/x", 9, "unix:/run/x", AF_UNIX}));

TEST_P(GoodAddress, is_read_and_written) {
  const auto address = SocketAddress::parse(GetParam().host, GetParam().port);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->to_text(), GetParam().text);
  EXPECT_EQ(address->family(), GetParam().family);
  EXPECT_EQ(address->port(), address->is_unix() ? 0 : GetParam().port);
}

class BadAddress : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Table, BadAddress,
                         ::testing::Values("", "127.0.0", "127.0.0.1:80", "127.0.0.256", "1270.0.1",
                                           " 127.0.0.1", "example.org", "[127.0.0.1", "[]", ":::1",
                                           "::1]", "::1%", "12345::", "unix:", "unix:@",
                                           "unix:@name", "unix:" + std::string(108, 'p'),
                                           std::string("unix:/a\0b", 9),
                                           std::string("127.0.0.1\0", 10)));

TEST_P(BadAddress, is_refused) {
  const auto address = SocketAddress::parse(GetParam(), 80);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error(), NetError::bad_address);
}

TEST(SocketAddress, of_a_unix_path_can_be_as_long_as_the_kernel_allows) {
  const std::string path(107, 'p');
  EXPECT_EQ(SocketAddress::parse("unix:" + path, 0).value().path(), path);
}

TEST(SocketAddress, of_an_unnamed_peer_has_no_path) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  const Descriptor one(pair[0]);
  const Descriptor other(pair[1]);
  EXPECT_EQ(SocketAddress::of_peer(one.get()).value().to_text(), "unix:");
}

TEST(SocketAddress, of_a_peer_is_known_when_it_has_reset_the_connection) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    const SocketAddress any = SocketAddress::parse(host, 0).value();
    const Descriptor listening(::socket(any.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(listening.get(), any.data(), any.size()), 0);
    ASSERT_EQ(::listen(listening.get(), 1), 0);
    const SocketAddress at = SocketAddress::of_socket(listening.get()).value();
    Descriptor client(::socket(any.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), at.data(), at.size()), 0);
    const std::string its_own = SocketAddress::of_socket(client.get()).value().to_text();
    const Descriptor accepted(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const linger none{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(client.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    client.close();
    char byte = 0;
    EXPECT_EQ(::recv(accepted.get(), &byte, 1, 0), -1) << "which has waited for the reset";
    EXPECT_EQ(SocketAddress::of_peer(accepted.get()).value().to_text(), its_own);
  }
}

TEST(SocketAddress, of_a_unix_peer_is_named_by_its_path_unless_that_could_break_a_line) {
  EXPECT_EQ(SocketAddress::parse("unix:/run/a-b_c.sock", 0).value().host(), "unix:/run/a-b_c.sock");
  for (const char* path :
       {"/a\r\nX-Role: admin", "/a b", "/a\tb", "/a\x7F", "/\xC3\xA4", "/\x01"}) {
    const SocketAddress address = SocketAddress::parse("unix:" + std::string(path), 0).value();
    EXPECT_EQ(address.host(), "unix:") << path;
    EXPECT_EQ(address.to_text(), "unix:" + std::string(path))
        << "what we listen at is ours to name";
  }
}

TEST(SocketAddress, of_what_is_no_socket_is_an_error) {
  EXPECT_FALSE(SocketAddress::of_peer(-1));
  EXPECT_FALSE(SocketAddress::of_socket(-1));
}

}  // namespace
}  // namespace eider
