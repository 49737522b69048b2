// Listening on the simulated kernel: its ports are independent of those of the machine.
#include <gtest/gtest.h>

#include <optional>

#include "eider/io/runtime/address.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/stream.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {
namespace {

/// Counts its connections and closes them.
class CountingOwner final : public ListenerOwner {
 public:
  void on_accept(Descriptor) override { ++accepted; }
  void on_accept_failed(NetError) override {}
  int accepted = 0;
};

/// An event loop with a listener, on its own kernel or a shared one.
struct Listening {
  explicit Listening(SimKernel& kernel) : loop(kernel), listener(loop, owner) {}

  std::optional<NetError> open(const char* host, std::uint16_t port,
                               PortSharing sharing = PortSharing::exclusive) {
    auto opened = listener.open(*SocketAddress::parse(host, port), {.sharing = sharing});
    return opened ? std::nullopt : std::optional(opened.error());
  }

  CountingOwner owner;
  SimLoop loop;
  Listener listener;
};

TEST(LoopSimListen, binds_no_port_of_the_machine) {
  SimKernel kernel;
  Listening real_looking(kernel);
  ASSERT_EQ(real_looking.open("192.0.2.1", 80), std::nullopt);  // not an own address
  EXPECT_EQ(real_looking.listener.address()->to_text(), "192.0.2.1:80");
  SimKernel other_kernel;
  Listening other(other_kernel);
  EXPECT_EQ(other.open("192.0.2.1", 80), std::nullopt);
  const SimClient client = kernel.connect(80);
  kernel.run_until_idle();
  other_kernel.run_until_idle();
  EXPECT_EQ(real_looking.owner.accepted, 1);
  EXPECT_EQ(other.owner.accepted, 0);
}

TEST(LoopSimListen, port_0_is_another_port_each_time) {
  SimKernel kernel;
  Listening first(kernel);
  Listening second(kernel);
  ASSERT_EQ(first.open("::1", 0), std::nullopt);
  ASSERT_EQ(second.open("::1", 0), std::nullopt);
  EXPECT_NE(first.listener.port(), 0);
  EXPECT_NE(first.listener.port(), second.listener.port());
}

TEST(LoopSimListen, a_port_is_taken_unless_all_share_it) {
  struct Case {
    PortSharing first;
    PortSharing second;
    std::optional<NetError> error;
  };
  for (const Case& each :
       {Case{PortSharing::exclusive, PortSharing::exclusive, NetError::address_in_use},
        Case{PortSharing::exclusive, PortSharing::shared, NetError::address_in_use},
        Case{PortSharing::shared, PortSharing::exclusive, NetError::address_in_use},
        Case{PortSharing::shared, PortSharing::shared, std::nullopt}}) {
    SimKernel kernel;
    Listening first(kernel);
    Listening second(kernel);
    ASSERT_EQ(first.open("127.0.0.1", 8080, each.first), std::nullopt);
    EXPECT_EQ(second.open("127.0.0.1", 8080, each.second), each.error);
    first.listener.close();
    Listening third(kernel);
    EXPECT_EQ(third.open("127.0.0.1", 8081, each.first), std::nullopt);
  }
}

TEST(LoopSimListen, a_closed_listener_frees_its_port) {
  SimKernel kernel;
  Listening first(kernel);
  ASSERT_EQ(first.open("127.0.0.1", 8080), std::nullopt);
  first.listener.close();
  Listening second(kernel);
  EXPECT_EQ(second.open("127.0.0.1", 8080), std::nullopt);
}

TEST(LoopSimListen, a_unix_path_is_refused) {
  SimKernel kernel;
  Listening listening(kernel);
  EXPECT_EQ(listening.open("unix:/nowhere/at/all", 0), NetError::not_supported);
  EXPECT_FALSE(listening.listener.is_open());
}

/// Resets connections that send anything.
class ResettingOwner final : public StreamOwner {
 public:
  explicit ResettingOwner(Loop& loop) : stream(loop, *this) {}
  void on_bytes(std::string_view) override { stream.reset(); }
  void on_end() override {}
  void on_drained() override {}
  void on_broken(NetError) override {}
  Stream stream;
};

TEST(LoopSimListen, a_stream_that_is_reset_resets_its_client) {
  SimKernel kernel;
  SimLoop loop(kernel);
  ResettingOwner owner(loop);
  SimPair pair = kernel.connect_pair();
  owner.stream.open(std::move(pair.server));
  pair.client.send("x");
  kernel.run_until_idle();
  EXPECT_TRUE(pair.client.is_reset());
  EXPECT_FALSE(owner.stream.is_open());
}

}  // namespace
}  // namespace eider
