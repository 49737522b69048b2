#include "eider/io/runtime/connect.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/test_backends.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using Outcome = Result<Descriptor, NetError>;

class ConnectTest : public testing::LoopTestBase {
 protected:
  /// Runs the loop until the attempt has ended.
  Outcome outcome_of(const SocketAddress& to, Duration limit) {
    std::optional<Outcome> outcome;
    auto task = attempt(to, limit, outcome);
    loop().post([&] { task.start(); });
    loop().run();
    return std::move(*outcome);
  }

 private:
  Task<> attempt(SocketAddress to, Duration limit, std::optional<Outcome>& outcome) {
    outcome = co_await connect(to, limit);
    Loop::current().stop();
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, ConnectTest, testing::all_backends(), testing::backend_name);

Descriptor listen_at(const SocketAddress& at, int backlog) {
  Descriptor fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::bind(fd.get(), at.data(), at.size()), 0);
  EXPECT_EQ(::listen(fd.get(), backlog), 0);
  return fd;
}

SocketAddress loopback() {
  return SocketAddress::parse("127.0.0.1", 0).value();
}

TEST_P(ConnectTest, gives_a_connected_socket_that_does_not_block_or_delay) {
  const Descriptor listening = listen_at(loopback(), 10);
  const SocketAddress to = SocketAddress::of_socket(listening.get()).value();
  const Outcome outcome = outcome_of(to, milliseconds(5000));
  ASSERT_TRUE(outcome) << text(outcome.error());
  EXPECT_EQ(SocketAddress::of_peer(outcome->get()).value().to_text(), to.to_text());
  EXPECT_NE(::fcntl(outcome->get(), F_GETFL) & O_NONBLOCK, 0);
  int no_delay = 0;
  socklen_t bytes = sizeof(no_delay);
  ::getsockopt(outcome->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &bytes);
  EXPECT_EQ(no_delay, 1);
}

TEST_P(ConnectTest, is_refused_where_nobody_listens) {
  SocketAddress to = loopback();
  {
    const Descriptor gone = listen_at(to, 1);
    to = SocketAddress::of_socket(gone.get()).value();
  }
  const Outcome outcome = outcome_of(to, milliseconds(5000));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), NetError::refused);
}

TEST_P(ConnectTest, is_refused_at_a_unix_path_that_is_not_there) {
  const SocketAddress to =
      SocketAddress::parse("unix:" + ::testing::TempDir() + "eider_nobody", 0).value();
  const Outcome outcome = outcome_of(to, milliseconds(5000));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), NetError::refused);
}

/// A listener whose queue is full drops further handshakes, so that they get no response.
TEST_P(ConnectTest, is_given_up_at_its_deadline) {
  const Descriptor listening = listen_at(loopback(), 0);
  const SocketAddress to = SocketAddress::of_socket(listening.get()).value();
  std::vector<Descriptor> queue;
  for (int index = 0; index < 4; ++index) {
    queue.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::connect(queue.back().get(), to.data(), to.size());
  }
  const Instant before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(to, milliseconds(30));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), NetError::timed_out);
  // A deadline counts from the start of the turn of the call, which may be slightly before
  // `before`.
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(25));
}

TEST_P(ConnectTest, is_given_up_when_it_is_destroyed) {
  const Descriptor listening = listen_at(loopback(), 0);
  const SocketAddress to = SocketAddress::of_socket(listening.get()).value();
  std::vector<Descriptor> queue;
  for (int index = 0; index < 4; ++index) {
    queue.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    ::connect(queue.back().get(), to.data(), to.size());
  }
  bool has_ended = false;
  const auto wait_long = [](SocketAddress where, bool& ended) -> Task<> {
    const Outcome outcome = co_await connect(where, std::chrono::hours(1));
    ended = true;
  };
  loop().post([&] {
    auto task = wait_long(to, has_ended);
    task.start();
    task = Task<>();
    loop().stop();
  });
  loop().run();
  EXPECT_FALSE(has_ended);
}

}  // namespace
}  // namespace eider
