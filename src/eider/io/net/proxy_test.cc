#include "eider/io/net/proxy.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/net/net.h"
#include "eider/io/net/socks5.h"
#include "eider/protocols/http/http_url.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"
#include "tests/support/test_loop.h"

namespace eider::net {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

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
  const auto read = detail::http::read_http_url(url).value();
  return ProxyExceptions(list).cover(read.host, read.port);
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

TEST(Proxy, of_socks_has_a_user_and_password_that_fit) {
  const std::string most(255, 'a');
  EXPECT_TRUE(read_proxy("socks5://" + most + ":" + most + "@x"));
  for (const std::string& user : {most + "a:p", "u:" + most + "a", "u:" + most + "%61"}) {
    const auto read = read_proxy("socks5://" + user + "@x");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(),
              "The user name or password of a SOCKS5 proxy is longer than 255 bytes.");
    EXPECT_TRUE(read_proxy("http://" + user + "@x"));
  }
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

/// Connects one end of a pair of sockets; the other one is the proxy's.
class PairDialler final : public Dialler {
 public:
  explicit PairDialler(int fd) noexcept : fd_(fd) {}
  explicit PairDialler(Descriptor fd) noexcept : fd_(std::move(fd)) {}
  Task<Result<Descriptor, ConnectError>> dial(const Route&, Instant) override {
    co_return std::move(fd_);
  }

 private:
  Descriptor fd_;
};

/// The result of a connection through a proxy that responds to each message with the next of
/// `answers`.
std::string reached(std::string_view url, bool is_secure, std::vector<std::string> answers,
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
  TestLoop on;
  struct Run {
    static Task<std::string> it(Net& net, Route route) {
      auto stream = co_await net.reach(route, Loop::current().now() + 500ms);
      if (!stream) {
        co_return stream.error().text;
      }
      const auto behind = co_await (*stream)->read();
      co_return "connected" + std::string(behind.value_or(" and lost"));
    }
  };
  const int flags = 1;
  ::ioctl(fds[0], FIONBIO, &flags);
  Net net({}, std::make_unique<PairDialler>(fds[0]));
  Route route{"key", "a.b", 443, is_secure};
  route.proxy = std::make_shared<const Proxy>(read_proxy(url).value());
  const std::string outcome = on.run(Run::it(net, std::move(route)));
  proxy.join();
  ::close(fds[1]);
  return outcome;
}

TEST(Consent, makes_a_tunnel) {
  std::string heard;
  EXPECT_EQ(reached("http://u:p@x", true, {"HTTP/1.1 200 Connected\r\nA: b\r\n\r\n"}, &heard),
            "connected");
  EXPECT_EQ(heard,
            "CONNECT a.b:443 HTTP/1.1\r\nHost: a.b:443\r\n"
            "Proxy-Authorization: Basic dTpw\r\n\r\n|");
  EXPECT_EQ(reached("http://x", true, {"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"}),
            "The proxy responded with status 407.");
  EXPECT_EQ(reached("http://x", true, {"SSH-2.0\r\n\r\n"}), "The proxy's response is not HTTP.");
  EXPECT_TRUE(reached("http://x", true, {"HTTP/1.1 200"}).contains("closed the connection"));
  EXPECT_TRUE(reached("http://x", true, {"HTTP/1.1 200 OK\r\nA: " + std::string(20000, 'x')})
                  .contains("closed the connection"));
}

TEST(Consent, is_asked_by_socks5) {
  std::string heard;
  EXPECT_EQ(reached("socks5://x", false, {"\5\0"s, "\5\0\0\1\1\1\1\1\0\1"s}, &heard), "connected");
  EXPECT_EQ(heard, "\5\1\0|\5\1\0\3\3a.b\1\xBB|"s);
  EXPECT_EQ(reached("socks5://u:p@x", false, {"\5\2"s, "\1\0"s, "\5\0\0\3\1a\0\1"s}), "connected");
  EXPECT_EQ(reached("socks5://u:p@x", false, {"\5\2"s, "\1\1"s}),
            "The proxy rejected the user name and password.");
  EXPECT_EQ(reached("socks5://x", false, {"\5\0"s, "\5\5\0\1\1\1\1\1\0\1"s}),
            "The host refused the connection from the proxy.");
  EXPECT_EQ(reached("socks5://x", false, {"HTTP/1.1 400 Bad\r\n\r\n"}),
            "The proxy does not support SOCKS5.");
  EXPECT_TRUE(reached("socks5://x", false, {"\5"s}).contains("closed the connection"));
}

TEST(Consent, leaves_what_comes_behind_it_to_whoever_reads_next) {
  EXPECT_EQ(reached("http://x", true, {"HTTP/1.1 103 -\r\n\r\nHTTP/1.1 200 -\r\n\r\n, and more"}),
            "connected, and more");
  EXPECT_EQ(reached("socks5://x", false, {"\5\0"s, "\5\0\0\1\1\1\1\1\0\1, and more"s}),
            "connected, and more");
}

TEST(Consent, is_not_waited_for_without_end) {
  for (const char* url : {"http://x", "socks5://x"}) {
    SimKernel kernel;
    SimLoop loop{kernel};
    SimPair pair = kernel.connect_pair();
    std::string outcome = "waits";
    struct Run {
      static Task<> it(Net& net, const Route& route, std::string& outcome) {
        const auto stream = co_await net.reach(route, Loop::current().now() + 5s);
        outcome = stream ? "connected" : stream.error().text;
      }
    };
    Net net({}, std::make_unique<PairDialler>(std::move(pair.server)));
    Route route{"key", "a.b", 443, true};
    route.proxy = std::make_shared<const Proxy>(read_proxy(url).value());
    auto running = Run::it(net, route, outcome);
    loop.call([&] { running.start(); });
    kernel.advance(4s);
    EXPECT_EQ(outcome, "waits");
    kernel.advance(2s);
    EXPECT_EQ(outcome, "The proxy did not respond in time: raise connect.");
    EXPECT_TRUE(pair.client.is_closed());
  }
}

}  // namespace
}  // namespace eider::net
