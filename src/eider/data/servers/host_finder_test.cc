#include "eider/data/servers/host_finder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "eider/testkit/temp_directory.h"
#include "tests/support/test_loop.h"

namespace eider::detail::servers {
namespace {

std::string text_of(const std::vector<Host>& hosts) {
  std::string all;
  for (const Host& host : hosts) {
    all += host.name + "=" + host.address + ":" + std::to_string(host.port) + " ";
  }
  return all;
}

/// Returns the hosts after this number of failures.
Task<std::string> found(std::vector<Host> hosts, int failures) {
  HostFinder finder(Loop::current());
  for (int i = 0; i < failures; ++i) {
    finder.note_failure();
  }
  const std::vector<Host> all = co_await finder.find(std::move(hosts));
  co_return text_of(all);
}

std::string hosts_of(std::vector<Host> hosts, int failures = 0) {
  TestLoop on;
  return on.run(found(std::move(hosts), failures));
}

TEST(HostFinder, finds_both_addresses_of_this_machine) {
  EXPECT_EQ(hosts_of({{.name = "localhost", .port = 1}}), "localhost=127.0.0.1:1 localhost=::1:1 ");
  EXPECT_EQ(hosts_of({{.name = "a", .address = "10.0.0.1", .port = 2}, {.name = "/run"}}),
            "a=10.0.0.1:2 /run=:0 ");
  EXPECT_EQ(hosts_of({}), "");
}

TEST(HostFinder, moves_the_first_host_to_the_end_after_each_failure) {
  const std::vector<Host> two{{.name = "a", .address = "10.0.0.1"},
                              {.name = "b", .address = "10.0.0.2"}};
  EXPECT_EQ(hosts_of(two, 1), "b=10.0.0.2:0 a=10.0.0.1:0 ");
  EXPECT_EQ(hosts_of(two, 2), "a=10.0.0.1:0 b=10.0.0.2:0 ");
}

TEST(HostFinder, skips_a_socket_that_is_not_there_if_there_are_other_hosts) {
  const TempDirectory directory;
  const std::string socket = directory.path().string() + "/s";
  const Host local{.name = "localhost", .address = socket};
  const Host other{.name = "b", .address = "10.0.0.2"};
  EXPECT_EQ(hosts_of({local, other}), "b=10.0.0.2:0 ");
  EXPECT_EQ(hosts_of({local}), "localhost=" + socket + ":0 ");
  std::ofstream(socket) << "";
  EXPECT_EQ(hosts_of({local, other}), "localhost=" + socket + ":0 b=10.0.0.2:0 ");
}

}  // namespace
}  // namespace eider::detail::servers
