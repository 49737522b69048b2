#include "eider/client/detail/proxy.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "eider/client/detail/proxy_dialler.h"
#include "eider/client/detail/socks5.h"
#include "eider/client/detail/test_client_line.h"
#include "tests/support/on_loop.h"

namespace eider::detail {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::answer;
using testing::Asked;
using testing::ClientLine;

std::string read(std::string_view text) {
  const auto proxy = read_proxy(text);
  if (!proxy) {
    return "wrong";
  }
  return (proxy->kind == ProxyKind::http ? "http " : "socks5 ") + proxy->host + " " +
         std::to_string(proxy->port) + " " + proxy->user + " " + proxy->password;
}

TEST(Proxy, is_read_from_its_url) {
  EXPECT_EQ(read("http://a:3128"), "http a 3128  ");
  EXPECT_EQ(read("a"), "http a 80  ");
  EXPECT_EQ(read("HTTP://u:p%40q@[::1]:8080/"), "http ::1 8080 u p@q");
  EXPECT_EQ(read("socks5://a"), "socks5 a 1080  ");
  EXPECT_EQ(read("socks5h://u@a:9"), "socks5 a 9 u ");
  for (const std::string_view text :
       {"", "https://a", "socks4://a", "http://a:0", "http://a/b", "http://u:%zz@a", "http://"}) {
    EXPECT_EQ(read(text), "wrong") << text;
  }
}

bool is_covered(std::string_view list, std::string_view url) {
  return ProxyExceptions(list).cover(read_http_url(url).value());
}

TEST(Proxy, has_exceptions_by_name_port_and_block) {
  constexpr std::string_view kList = "localhost, 10.0.0.0/8 .example.com,other.org:8080 ::1";
  for (const std::string_view url :
       {"http://localhost:5/", "http://10.1.2.3/", "http://example.com/", "http://a.b.Example.com/",
        "http://other.org:8080/", "http://[::1]/"}) {
    EXPECT_TRUE(is_covered(kList, url)) << url;
  }
  for (const std::string_view url : {"http://11.1.2.3/", "http://badexample.com/",
                                     "http://other.org/", "http://local/", "http://[::2]/"}) {
    EXPECT_FALSE(is_covered(kList, url)) << url;
  }
  EXPECT_TRUE(is_covered("*", "http://a/"));
  EXPECT_FALSE(is_covered("", "http://a/"));
}

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
  line.say(answer("1"));
  line.get("http://c/d");
  EXPECT_TRUE(line.sent().starts_with("GET http://c/d HTTP/1.1\r\n"));
  line.get("http://direct/");
  EXPECT_TRUE(line.sent(1).starts_with("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(line.keys, (std::vector<std::string>{"proxy", "http://direct"}));
}

TEST(Proxy, that_is_written_wrongly_is_told) {
  ClientOptions options;
  options.http_proxy = "gopher://a";
  ClientLine line(options);
  EXPECT_EQ(line.get().text(), "proxy_failed");
}

TEST(Socks5, asks_for_names_and_addresses) {
  Proxy proxy;
  EXPECT_EQ(socks_greeting(proxy), "\5\1\0"s);
  proxy.user = "u";
  proxy.password = "pw";
  EXPECT_EQ(socks_greeting(proxy), "\5\2\0\2"s);
  EXPECT_EQ(socks_password(proxy), "\1\1u\2pw");
  EXPECT_EQ(socks_connect("a.b", 258), "\5\1\0\3\3a.b\1\2"s);
  EXPECT_EQ(socks_connect("1.2.3.4", 80), "\5\1\0\1\1\2\3\4\0\x50"s);
  EXPECT_EQ(socks_connect("::1", 80), "\5\1\0\4"s + std::string(15, '\0') + "\1\0\x50"s);
  EXPECT_EQ(socks_connect(std::string(256, 'a'), 80), std::nullopt);
}

TEST(Socks5, judges_what_the_proxy_says) {
  Proxy nobody;
  Proxy somebody;
  somebody.user = "u";
  EXPECT_EQ(read_socks_choice("\5\0"s, nobody), SocksMethod::none);
  EXPECT_EQ(read_socks_choice("\5\2"s, somebody), SocksMethod::password);
  for (const std::string& bad : {"\4\0"s, "\5\2"s, "\5\1"s, "\5\xFF"s}) {
    EXPECT_FALSE(read_socks_choice(bad, nobody).has_value());
  }
  EXPECT_EQ(read_socks_reply("\5\0\0\1\1"s), 5U);
  EXPECT_EQ(read_socks_reply("\5\0\0\4\1"s), 17U);
  EXPECT_EQ(read_socks_reply("\5\0\0\3\7"s), 9U);
  for (const std::string& bad : {"\4\0\0\1\1"s, "\5\5\0\1\1"s, "\5\0\0\2\1"s, "\5\x99\0\1\1"s}) {
    EXPECT_FALSE(read_socks_reply(bad).has_value());
  }
}

/// One end of a pair of sockets; the other one is the proxy's.
class PairDialler final : public Dialler {
 public:
  explicit PairDialler(int fd) noexcept : fd_(fd) {}
  Task<Result<Descriptor, ClientError>> dial(const Route&, Instant) override {
    co_return Descriptor(fd_);
  }

 private:
  int fd_;
};

/// What the client's dialler comes to when the proxy answers each message with the next of these.
std::string dialled(std::string_view url, bool is_secure, std::vector<std::string> answers,
                    std::string* heard = nullptr) {
  int fds[2];
  ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
  std::thread proxy([&] {
    std::string in(4096, '\0');
    for (const std::string& out : answers) {
      const ssize_t got = ::recv(fds[1], in.data(), in.size(), 0);
      if (heard != nullptr && got > 0) {
        heard->append(in, 0, static_cast<std::size_t>(got)).append("|");
      }
      static_cast<void>(::send(fds[1], out.data(), out.size(), MSG_NOSIGNAL));
    }
    ::shutdown(fds[1], SHUT_WR);
  });
  OnLoop on;
  struct Run {
    static Task<std::string> it(ProxyDialler& dialler, Route route) {
      auto dialling = dialler.dial(route, Loop::current().now() + 500ms);
      const auto fd = co_await std::move(dialling);
      co_return fd ? "connected" : fd.error().text;
    }
  };
  const int flags = 1;
  ::ioctl(fds[0], FIONBIO, &flags);
  ProxyDialler dialler(std::make_unique<PairDialler>(fds[0]));
  Route route{"key", "a.b", 443, is_secure};
  route.proxy = std::make_shared<const Proxy>(read_proxy(url).value());
  const std::string outcome = on.run(Run::it(dialler, std::move(route)));
  proxy.join();
  ::close(fds[1]);
  return outcome;
}

TEST(ProxyDialler, makes_a_tunnel) {
  std::string heard;
  EXPECT_EQ(dialled("http://u:p@x", true, {"HTTP/1.1 200 Connected\r\nA: b\r\n\r\n"}, &heard),
            "connected");
  EXPECT_EQ(heard,
            "CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n"
            "Proxy-Authorization: Basic dTpw\r\n\r\n|");
  EXPECT_EQ(dialled("http://x", true, {"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"}),
            "The proxy answered 407.");
  EXPECT_EQ(dialled("http://x", true, {"SSH-2.0\r\n\r\n"}), "The proxy's answer is no HTTP.");
  EXPECT_TRUE(dialled("http://x", true, {"HTTP/1.1 200"}).contains("ended the connection"));
  EXPECT_TRUE(dialled("http://x", true, {"HTTP/1.1 200 OK\r\nA: " + std::string(20000, 'x')})
                  .contains("ended the connection"));
}

TEST(ProxyDialler, speaks_socks5) {
  std::string heard;
  EXPECT_EQ(dialled("socks5://x", false, {"\5\0"s, "\5\0\0\1\1\1\1\1\0\1"s}, &heard), "connected");
  EXPECT_EQ(heard, "\5\1\0|\5\1\0\3\3a.b\1\xBB|"s);
  EXPECT_EQ(dialled("socks5://u:p@x", false, {"\5\2"s, "\1\0"s, "\5\0\0\3\1a\0\1"s}), "connected");
  EXPECT_EQ(dialled("socks5://u:p@x", false, {"\5\2"s, "\1\1"s}),
            "The proxy does not accept the user and password.");
  EXPECT_EQ(dialled("socks5://x", false, {"\5\0"s, "\5\5\0\1\1\1\1\1\0\1"s}),
            "The host refused the proxy's connection.");
  EXPECT_EQ(dialled("socks5://x", false, {"HTTP/1.1 400 Bad\r\n\r\n"}),
            "The proxy does not speak SOCKS5.");
  EXPECT_TRUE(dialled("socks5://x", false, {"\5"s}).contains("ended the connection"));
}

}  // namespace
}  // namespace eider::detail
