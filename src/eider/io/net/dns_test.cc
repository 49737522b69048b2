#include "eider/io/net/dns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/net/dialler.h"
#include "eider/io/net/test_name_server.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/cidr.h"
#include "tests/support/test_loop.h"

namespace eider::net {
namespace {

using namespace std::chrono_literals;
using eider::testing::NameServer;

const NameServer::Zone kZone = {{"A a.test", {"127.0.0.1", "127.0.0.2"}},
                                {"AAAA a.test", {"::1"}},
                                {"A four.test", {"127.0.0.1"}},
                                {"A slow.test", {"127.0.0.1"}},
                                {"AAAA slow.test", {"silence"}},
                                {"A dead.test", {"silence"}},
                                {"AAAA late.test", {"::1"}},
                                {"A late.test", {"late", "127.0.0.1"}},
                                {"AAAA dead.test", {"silence"}}};

std::string text_of(const DnsAnswer& answer) {
  if (!answer) {
    return answer.error() == DnsFault::no_such_name ? "no such name" : "no answer";
  }
  std::string all;
  for (const std::string& address : *answer) {
    all.append(all.empty() ? "" : " ").append(address);
  }
  return all;
}

Task<std::string> look_up(Dns& dns, std::string name, DnsFamily family) {
  const DnsAnswer answer = co_await dns.find(std::move(name), family);
  co_return text_of(answer);
}

/// Runs `work` on a loop with a Dns of those options.
template <class Work>
auto with_dns(DnsOptions options, Work work) {
  TestLoop on;
  struct Run {
    static Task<std::string> it(DnsOptions options, Work work) {
      Dns dns(Loop::current(), std::move(options));
      co_return co_await work(dns);
    }
  };
  return on.run(Run::it(std::move(options), std::move(work)));
}

std::string find(NameServer& server, const std::string& name, DnsFamily family) {
  return with_dns({.servers = server.address(), .question = 200ms},
                  [&](Dns& dns) { return look_up(dns, name, family); });
}

TEST(Dns, finds_addresses_of_either_family) {
  NameServer server(kZone, 60);
  EXPECT_EQ(find(server, "a.test", DnsFamily::v4), "127.0.0.1 127.0.0.2");
  EXPECT_EQ(find(server, "a.test", DnsFamily::v6), "::1");
}

TEST(Dns, tells_names_that_do_not_exist_from_servers_that_do_not_answer) {
  NameServer server(kZone, 60);
  EXPECT_EQ(find(server, "nobody.test", DnsFamily::v4), "no such name");
  EXPECT_EQ(find(server, "four.test", DnsFamily::v6), "no such name");
  EXPECT_EQ(find(server, "dead.test", DnsFamily::v4), "no answer");
}

Task<std::string> thrice(Dns& dns, bool waits) {
  for (int times = 0; times < 2; ++times) {
    co_await look_up(dns, "a.test", DnsFamily::v4);
    if (waits) {
      co_await sleep_for(1100ms);
    }
  }
  co_return co_await look_up(dns, "a.test", DnsFamily::v4);
}

TEST(Dns, remembers_an_answer_for_as_long_as_it_holds) {
  NameServer server(kZone, 60);
  with_dns({.servers = server.address()}, [](Dns& dns) { return thrice(dns, false); });
  EXPECT_EQ(server.asked("A a.test"), 1);
  NameServer brief(kZone, 1);
  with_dns({.servers = brief.address()}, [](Dns& dns) { return thrice(dns, true); });
  EXPECT_EQ(brief.asked("A a.test"), 3);
}

Task<std::string> many(Dns& dns) {
  for (int index = 0; index < 20; ++index) {
    co_await look_up(dns, "a.test", DnsFamily::v4);
    co_await look_up(dns, "four.test", DnsFamily::v4);
  }
  co_return std::to_string(dns.cached());
}

TEST(Dns, remembers_no_more_than_it_may) {
  NameServer server(kZone, 60);
  EXPECT_EQ(with_dns({.servers = server.address(), .cached_max = 1}, many), "1");
}

Task<std::string> one_under_way(Dns& dns) {
  co_await look_up(dns, "a.test", DnsFamily::v4);
  Task<std::string> under_way = look_up(dns, "late.test", DnsFamily::v4);
  under_way.start();
  co_await look_up(dns, "four.test", DnsFamily::v4);  // replaces the entry of one of them
  co_return co_await look_up(dns, "late.test", DnsFamily::v4);
}

TEST(Dns, asks_no_question_twice_that_is_under_way_while_others_come) {
  NameServer server(kZone, 60);
  EXPECT_EQ(with_dns({.servers = server.address(), .cached_max = 2, .question = 5s}, one_under_way),
            "127.0.0.1");
  EXPECT_EQ(server.asked("A late.test"), 1);
}

TEST(Dns, may_be_given_up) {
  NameServer server(kZone, 60);
  EXPECT_EQ(with_dns({.servers = server.address(), .question = 300ms},
                     [](Dns& dns) -> Task<std::string> {
                       struct Run {
                         static Task<std::string> it(Dns& dns) {
                           const auto none = co_await with_deadline(
                               look_up(dns, "dead.test", DnsFamily::v4), 20ms);
                           auto found = co_await look_up(dns, "a.test", DnsFamily::v4);
                           co_return none ? "not given up" : found;
                         }
                       };
                       return Run::it(dns);
                     }),
            "127.0.0.1 127.0.0.2");
}

// Happy eyeballs.

TEST(Race, takes_the_families_by_turns) {
  EXPECT_EQ(interleaved({"6a", "6b", "6c"}, {"4a"}),
            (std::vector<std::string>{"6a", "4a", "6b", "6c"}));
  EXPECT_EQ(interleaved({}, {"4a", "4b"}), (std::vector<std::string>{"4a", "4b"}));
  EXPECT_EQ(interleaved(std::vector<std::string>(50, "6"), {}).size(), kAddressesMax);
}

/// Listens on loopback and accepts no connection: the kernel connects.
class Listening {
 public:
  Listening() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(at);
    ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&at), bytes);
    ::listen(fd_.get(), 8);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&at), &bytes);
    port = ntohs(at.sin_port);
  }
  std::uint16_t port = 0;

 private:
  Descriptor fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

std::string raced(std::vector<SocketAddress> addresses) {
  TestLoop on;
  struct Run {
    static Task<std::string> it(std::vector<SocketAddress> addresses) {
      const auto fd = co_await race(std::move(addresses), Loop::current().now() + 20s);
      if (!fd) {
        co_return std::string(text(fd.error()));
      }
      co_return SocketAddress::of_peer(fd->get()).value().host();
    }
  };
  return on.run(Run::it(std::move(addresses)));
}

TEST(Race, goes_on_to_the_next_address_when_one_is_refused) {
  const Listening listening;
  const auto at = [&](const char* host, std::uint16_t port) {
    return SocketAddress::parse(host, port).value();
  };
  EXPECT_EQ(raced({at("127.0.0.9", 1), at("::1", 1), at("127.0.0.1", listening.port)}),
            "127.0.0.1");
  EXPECT_EQ(raced({at("127.0.0.1", 1)}), text(NetError::refused));
  EXPECT_EQ(raced({}), text(NetError::timed_out));
}

std::string dialled(NameServer& server, std::string host, std::uint16_t port,
                    AllowAddress allow = nullptr, Duration question = 300ms) {
  TestLoop on;
  struct Run {
    static Task<std::string> it(TcpDialler& dialler, Route route) {
      const auto fd = co_await dialler.dial(route, Loop::current().now() + 2s);
      if (!fd) {
        co_return std::string(to_text(fd.error().fault));
      }
      co_return SocketAddress::of_peer(fd->get()).value().host();
    }
  };
  TcpDialler dialler({.servers = server.address(), .question = question}, std::move(allow));
  Route route;
  route.host = std::move(host);
  route.port = port;
  return on.run(Run::it(dialler, std::move(route)));
}

TEST(TcpDialler, connects_to_names_addresses_and_localhost) {
  NameServer server(kZone, 60);
  const Listening listening;
  EXPECT_EQ(dialled(server, "a.test", listening.port), "127.0.0.1") << "::1 is refused first";
  EXPECT_EQ(dialled(server, "four.test", listening.port), "127.0.0.1");
  EXPECT_EQ(dialled(server, "localhost", listening.port), "127.0.0.1");
  EXPECT_EQ(dialled(server, "127.0.0.1", listening.port), "127.0.0.1");
  EXPECT_EQ(server.asked("A localhost"), 0);
}

TEST(TcpDialler, does_not_wait_for_the_family_that_is_slow) {
  NameServer server(kZone, 60);
  const Listening listening;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(dialled(server, "slow.test", listening.port, nullptr, 5s), "127.0.0.1");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "which the silent family would take";
}

TEST(TcpDialler, tries_the_family_that_is_slow_when_the_other_does_not_answer) {
  NameServer server(kZone, 60);
  const Listening listening;
  EXPECT_EQ(dialled(server, "late.test", listening.port), "127.0.0.1");
}

TEST(TcpDialler, asks_about_each_address_behind_the_lookup) {
  NameServer server(kZone, 60);
  const Listening listening;
  std::vector<std::string> asked;
  const auto only = [&](std::string_view allowed) {
    return [&asked, allowed](const IpAddress& address) {
      asked.push_back(address.to_text());
      return asked.back() == allowed;
    };
  };
  EXPECT_EQ(dialled(server, "a.test", listening.port, only("127.0.0.1")), "127.0.0.1");
  EXPECT_EQ(std::ranges::count(asked, "::1"), 1) << "of all that the name has";
  for (const char* host :
       {"a.test", "four.test", "localhost", "127.0.0.1", "::1", "slow.test", "::ffff:127.0.0.1"}) {
    asked.clear();
    EXPECT_EQ(dialled(server, host, listening.port, only("192.0.2.1")), "forbidden_address")
        << host;
    EXPECT_FALSE(asked.empty());
  }
  EXPECT_EQ(dialled(server, "four.test", listening.port, is_public), "forbidden_address");
  EXPECT_EQ(dialled(server, "nobody.test", 80, is_public), "name_not_found");
}

TEST(TcpDialler, says_why_there_is_no_connection) {
  NameServer server(kZone, 60);
  EXPECT_EQ(dialled(server, "nobody.test", 80), "name_not_found");
  EXPECT_EQ(dialled(server, "dead.test", 80), "lookup_failed");
  EXPECT_EQ(dialled(server, "a.test", 1), "not_connected");
}

}  // namespace
}  // namespace eider::net
