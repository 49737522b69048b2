// HttpClient: through proxies.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "eider/client/client.h"
#include "eider/client/test_client_line.h"
#include "eider/protocols/http/cidr.h"

namespace eider::detail::client {
namespace {

using testing::ClientLine;
using testing::response;
using testing::SentRequest;

TEST(Proxy, is_named_by_the_environment_only_when_asked) {
  ::setenv("http_proxy", "http://p:1", 1);
  ::setenv("no_proxy", "a", 1);
  ClientOptions options;
  EXPECT_EQ(options.http_proxy, "");
  use_proxies_of_environment(options);
  EXPECT_EQ(options.http_proxy, "http://p:1");
  EXPECT_EQ(options.no_proxy, "a");
  ::unsetenv("http_proxy");
  ::unsetenv("no_proxy");
}

TEST(Proxy, is_asked_for_whole_urls_over_connections_that_serve_all_hosts) {
  ClientOptions options;
  options.http_proxy = "http://u:p@proxy:3128";
  options.no_proxy = "direct";
  ClientLine line(options);
  line.get("http://a:81/b");
  const std::string sent = line.sent();
  EXPECT_TRUE(sent.starts_with("GET http://a:81/b HTTP/1.1\r\nHost: a:81\r\n"));
  EXPECT_TRUE(sent.contains("Proxy-Authorization: Basic dTpw\r\n"));
  line.say(response("1"));
  line.get("http://c/d");
  EXPECT_TRUE(line.sent().starts_with("GET http://c/d HTTP/1.1\r\n"));
  line.get("http://direct/");
  EXPECT_TRUE(line.sent(1).starts_with("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(line.keys, (std::vector<std::string>{"proxy", "http://direct"}));
}

TEST(Proxy, is_not_asked_for_an_address_that_is_not_allowed) {
  ClientOptions options;
  options.http_proxy = "http://127.0.0.1:3128";
  options.allow_address = is_public;
  ClientLine line(options);
  const SentRequest& first = line.get("http://example.com/");
  line.say(response("", "Location: http://10.0.0.1/\r\n", "302 -"));
  EXPECT_EQ(first.text(), "forbidden_address") << "though the connection to the proxy is there";
  for (const char* url : {"http://127.0.0.1/", "http://[::1]:81/", "http://localhost/",
                          "http://a.localhost/", "http://[::ffff:10.0.0.1]/"}) {
    EXPECT_EQ(line.get(url).text(), "forbidden_address") << url;
  }
  EXPECT_EQ(line.keys.size(), 1U);
}

TEST(Proxy, that_is_written_wrongly_is_told) {
  ClientOptions options;
  options.http_proxy = "gopher://a";
  ClientLine line(options);
  EXPECT_EQ(line.get().text(), "proxy_failed");
}

TEST(Proxy, whose_user_does_not_fit_is_not_asked) {
  ClientOptions options;
  options.http_proxy = "socks5://u:" + std::string(256, 'a') + "@x";
  ClientLine line(options);
  EXPECT_EQ(line.get().text(), "proxy_failed");
  EXPECT_TRUE(line.keys.empty()) << "nobody is asked";
}

}  // namespace
}  // namespace eider::detail::client
