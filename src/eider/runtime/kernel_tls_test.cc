// The machine's kernel is asked the same way whether it knows TLS or not.
#include "eider/runtime/kernel_tls.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>

#include "eider/runtime/descriptor.h"

namespace eider {
namespace {

std::string protocols_of_the_kernel() {
  std::ifstream list("/proc/sys/net/ipv4/tcp_available_ulp");
  return {std::istreambuf_iterator<char>(list), {}};
}

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    near = Descriptor(ends[0]);
    far = Descriptor(ends[1]);
  }
  Descriptor near;
  Descriptor far;
};

TEST(KernelTls, is_there_when_the_kernel_lists_it) {
  const bool is_there = kernel_tls() != nullptr;  // asking may load it
  EXPECT_EQ(is_there, protocols_of_the_kernel().find("tls") != std::string::npos);
  EXPECT_EQ(kernel_tls() != nullptr, is_there) << "it is asked once";
}

TEST(KernelTls, room_is_there_until_a_socket_is_full) {
  const Pair pair;
  EXPECT_TRUE(has_room(pair.near.get()));
  const std::string much(65536, 'x');
  while (::send(pair.near.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
  EXPECT_FALSE(has_room(pair.near.get()));
}

TEST(KernelTls, does_not_take_over_what_is_no_tcp_connection) {
  if (kernel_tls() == nullptr) {
    GTEST_SKIP() << "this kernel has no TLS (modprobe tls)";
  }
  const Pair pair;
  EXPECT_FALSE(kernel_tls()->take_over(pair.near.get(), "keys"));
}

}  // namespace
}  // namespace eider
