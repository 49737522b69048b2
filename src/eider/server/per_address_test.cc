#include "eider/server/per_address.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/server/limits.h"

namespace eider::detail::server {
namespace {

IpAddress client_at(std::string_view text) {
  return IpAddress::parse(text).value();
}

TEST(PerAddress, bounds_each_client_by_itself) {
  PerAddress clients;
  const auto first = clients.try_take(client_at("192.0.2.1"), 2);
  ASSERT_TRUE(first);
  EXPECT_TRUE(clients.try_take(client_at("192.0.2.1"), 2));
  EXPECT_FALSE(clients.try_take(client_at("192.0.2.1"), 2));
  EXPECT_TRUE(clients.try_take(client_at("192.0.2.2"), 2));
  clients.give_back(*first);
  EXPECT_TRUE(clients.try_take(client_at("192.0.2.1"), 2));
  EXPECT_FALSE(clients.try_take(client_at("192.0.2.1"), 2));
}

TEST(PerAddress, takes_a_64_of_ipv6_for_one_client) {
  PerAddress clients;
  EXPECT_TRUE(clients.try_take(client_at("2001:db8:1:2::1"), 1));
  EXPECT_FALSE(clients.try_take(client_at("2001:db8:1:2:ffff:ffff:ffff:ffff"), 1));
  EXPECT_TRUE(clients.try_take(client_at("2001:db8:1:3::1"), 1));
}

TEST(PerAddress, takes_ipv4_for_ipv4_however_the_socket_was_opened) {
  PerAddress clients;
  EXPECT_TRUE(clients.try_take(client_at("192.0.2.1"), 1));
  EXPECT_FALSE(clients.try_take(client_at("::ffff:192.0.2.1"), 1));
  EXPECT_TRUE(clients.try_take(client_at("::c000:201"), 1)) << "the same bytes, but none of IPv4";
}

TEST(PerAddress, forgets_a_client_that_has_left) {
  PerAddress clients;
  for (int last = 1; last < 200; ++last) {
    const auto place = clients.try_take(client_at("192.0.2." + std::to_string(last)), 1);
    ASSERT_TRUE(place);
    EXPECT_EQ(*place, 0U) << "the place of the one before";
    clients.give_back(*place);
  }
}

TEST(PerAddress, the_default_limit_is_for_clients_that_connect_directly) {
  constexpr std::size_t kDefault = kConnectionsPerAddressDefault;
  EXPECT_EQ(connections_max_of(client_at("192.0.2.1"), kDefault, false), kDefault);
  EXPECT_EQ(connections_max_of(client_at("2001:db8::1"), kDefault, false), kDefault);
  EXPECT_EQ(connections_max_of(client_at("192.0.2.1"), kDefault, true), 0U) << "behind a proxy";
  for (const char* own : {"127.0.0.1", "127.9.9.9", "::1"}) {
    EXPECT_EQ(connections_max_of(client_at(own), kDefault, false), 0U) << own;
  }
  for (const char* foreign : {"::", "::7f00:1", "::2", "128.0.0.1"}) {
    EXPECT_EQ(connections_max_of(client_at(foreign), kDefault, false), kDefault) << foreign;
  }
}

TEST(PerAddress, any_other_limit_is_for_all_clients) {
  for (const char* client : {"127.0.0.1", "::1", "192.0.2.1"}) {
    EXPECT_EQ(connections_max_of(client_at(client), 5, true), 5U) << client;
    EXPECT_EQ(connections_max_of(client_at(client), 5, false), 5U) << client;
    EXPECT_EQ(connections_max_of(client_at(client), 0, false), 0U) << client;
  }
}

}  // namespace
}  // namespace eider::detail::server
