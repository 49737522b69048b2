#include "eider/data/servers/server_url.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::detail::servers {
namespace {

/// Returns "user|password|rest", "no login|rest", or "invalid".
std::string login_of(std::string_view authority) {
  const auto login = take_login(authority);
  if (!login) {
    return "invalid";
  }
  return (login->is_there ? login->user + "|" + login->password : "no login") + "|" +
         std::string(authority);
}

/// Returns "host|port", with brackets around an address that had them, or "invalid".
std::string host_of(std::string_view text) {
  const auto read = read_host(text);
  if (!read) {
    return "invalid";
  }
  const std::string host(read->host);
  return (read->is_in_brackets ? "[" + host + "]" : host) + "|" +
         (read->port ? std::to_string(*read->port) : "none");
}

TEST(ServerUrls, have_a_login_up_to_the_last_at_sign) {
  EXPECT_EQ(login_of("host:1"), "no login|host:1");
  EXPECT_EQ(login_of("ada@host"), "ada||host");
  EXPECT_EQ(login_of("ada:p%40s%2Fs+@host"), "ada|p@s/s+|host");
  EXPECT_EQ(login_of(":secret@[::1]:1"), "|secret|[::1]:1");
  EXPECT_EQ(login_of("a:b@c:d@host"), "a|b@c:d|host");
  EXPECT_EQ(login_of("@"), "||");
  for (const char* authority : {"%zz@host", "ada:%@host", "ada:%4@host"}) {
    EXPECT_EQ(login_of(authority), "invalid") << authority;
  }
}

TEST(ServerUrls, have_hosts_with_ports) {
  EXPECT_EQ(host_of("db.example"), "db.example|none");
  EXPECT_EQ(host_of("db.example:5432"), "db.example|5432");
  EXPECT_EQ(host_of("[fe80::1%eth0]:65535"), "[fe80::1%eth0]|65535");
  EXPECT_EQ(host_of("[::1]"), "[::1]|none");
  EXPECT_EQ(host_of(""), "|none");
  EXPECT_EQ(host_of(":1"), "|1");
  for (const char* text : {"h:", "h:0", "h:65536", "h:x", "h:1x", "h:-1", "h: 1", "[::1", "::1]",
                           "[", "]", "::1", "[::1]x", "[::1]:"}) {
    EXPECT_EQ(host_of(text), "invalid") << text;
  }
}

TEST(ServerUrls, are_read_wherever_they_are_cut) {
  const std::string all = "ada:p%40ss@[::1]:5432,db.example:33";
  for (std::size_t end = 0; end <= all.size(); ++end) {
    std::string_view authority = std::string_view(all).substr(0, end);
    (void)take_login(authority);
    for (const std::string_view part : split_list(authority)) {
      const auto read = read_host(part);
      EXPECT_TRUE(!read || part.contains(read->host)) << part;
    }
  }
}

TEST(ServerUrls, have_lists_with_at_least_one_part) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_list(""), Parts{""});
  EXPECT_EQ(split_list("a"), Parts{"a"});
  EXPECT_EQ(split_list("a,,b,"), (Parts{"a", "", "b", ""}));
}

TEST(ServerHosts, need_a_lookup_if_they_are_names) {
  EXPECT_TRUE((Host{.name = "db.example"}.needs_lookup()));
  EXPECT_TRUE((Host{.name = "localhost"}.needs_lookup()));
  EXPECT_FALSE((Host{.name = "db.example", .address = "127.0.0.1"}.needs_lookup()));
  for (const Host& host : {Host{}, Host{.name = "/run/postgresql"}, Host{.name = "@abstract"},
                           Host{.name = "localhost", .address = "/run/mysqld/mysqld.sock"}}) {
    EXPECT_TRUE(host.is_unix()) << host.name;
    EXPECT_FALSE(host.needs_lookup()) << host.name;
  }
  EXPECT_TRUE(is_number("10.0.0.1"));
  EXPECT_TRUE(is_number("::1"));
  for (const char* name : {"localhost", "db.example", "unix:/run/s", ""}) {
    EXPECT_FALSE(is_number(name)) << name;
  }
}

}  // namespace
}  // namespace eider::detail::servers
