#include "eider/io/runtime/listener.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fcntl.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/core/base/poison.h"
#include "eider/io/runtime/handshakes.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_server.h"

namespace eider {
namespace {

using testing::becomes_true;
using testing::local;
using testing::LoopThread;
using testing::Peer;
using testing::TestServer;

class ListenerTest : public ::testing::TestWithParam<testing::LoopMaker> {
 protected:
  void SetUp() override {
    thread_ = std::make_unique<LoopThread>(GetParam());
    if (!thread_->is_running()) {
      GTEST_SKIP() << "this kernel lacks the backend";
    }
    thread_->call([&] { server_ = std::make_unique<TestServer>(thread_->loop()); });
  }
  void TearDown() override {
    if (thread_->is_running()) {
      thread_->call([&] { server_.reset(); });
    }
    thread_.reset();
  }

  Result<void, NetError> open(const SocketAddress& at, ListenOptions options = {}) {
    Result<void, NetError> opened;
    thread_->call([&] { opened = server_->listener.open(at, options); });
    return opened;
  }
  SocketAddress address() {
    Result<SocketAddress, NetError> at = fail(NetError::other);
    thread_->call([&] { at = server_->listener.address(); });
    return at.value();
  }

  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<TestServer> server_;
};
INSTANTIATE_TEST_SUITE_P(Backends, ListenerTest, testing::all_backends(), testing::backend_name);

/// Leaves room for only `count` descriptors as long as it lives.
class FewDescriptorsLeft {
 public:
  explicit FewDescriptorsLeft(int count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const Descriptor next(::dup(0));
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(next.get() + count);
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptorsLeft(const FewDescriptorsLeft&) = delete;
  FewDescriptorsLeft& operator=(const FewDescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

TEST_P(ListenerTest, port_0_becomes_a_real_port) {
  ASSERT_TRUE(open(local()));
  thread_->call([&] { EXPECT_NE(server_->listener.port(), 0); });
  const Peer peer(address());
  EXPECT_TRUE(peer.is_connected());
}

TEST_P(ListenerTest, an_accepted_socket_does_not_block_is_not_inherited_and_sends_without_delay) {
  ASSERT_TRUE(open(local()));
  int flags = 0;
  int descriptor_flags = 0;
  int no_delay = 0;
  struct Owner final : ListenerOwner {
    void on_accept(Descriptor fd) override { accepted.push_back(std::move(fd)); }
    void on_accept_failed(NetError) override {}
    std::vector<Descriptor> accepted;
  } owner;
  std::unique_ptr<Listener> listener;
  thread_->call([&] {
    listener = std::make_unique<Listener>(thread_->loop(), owner);
    ASSERT_TRUE(listener->open(local()));
  });
  std::uint16_t port = 0;
  thread_->call([&] { port = listener->port(); });
  const Peer peer(local(port));
  ASSERT_TRUE(becomes_true(*thread_, [&] { return owner.accepted.size() == 1; }));
  thread_->call([&] {
    const int fd = owner.accepted[0].get();
    flags = ::fcntl(fd, F_GETFL);
    descriptor_flags = ::fcntl(fd, F_GETFD);
    socklen_t bytes = sizeof(no_delay);
    ::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &bytes);
    listener.reset();
  });
  EXPECT_NE(flags & O_NONBLOCK, 0);
  EXPECT_NE(descriptor_flags & FD_CLOEXEC, 0);
  EXPECT_EQ(no_delay, 1);
}

TEST_P(ListenerTest, can_wait_for_the_first_bytes_of_a_connection) {
  thread_->call([&] {
    server_->bytes = [](testing::TestConnection& connection, std::string_view bytes) {
      connection.stream.output().append(bytes);
    };
  });
  ASSERT_TRUE(open(local(), {.when = AcceptWhen::readable}));
  const Peer peer(address());
  ASSERT_TRUE(peer.send("first"));
  EXPECT_EQ(peer.receive(5), "first");
  ASSERT_TRUE(peer.send("second"));
  EXPECT_EQ(peer.receive(6), "second");
}

TEST_P(ListenerTest, closes_behind_those_that_are_connected_already) {
  const std::string path = ::testing::TempDir() + "eider_closing_" + std::to_string(::getpid());
  for (const SocketAddress& at : {local(), SocketAddress::parse("unix:" + path, 0).value()}) {
    ASSERT_TRUE(open(at));
    const SocketAddress bound = address();
    thread_->call([&] {
      const Peer first(bound);
      const Peer second(bound);
      EXPECT_TRUE(second.is_connected());
      server_->listener.begin_closing();
      EXPECT_TRUE(server_->listener.try_close());
      EXPECT_EQ(server_->connections.size(), 2U) << "whom no turn of the loop has accepted";
      server_->connections.clear();
    });
    EXPECT_FALSE(Peer(bound).is_connected());
  }
}

// The kernel wakes one process for a connection: if it was this one, no other would accept it. A
// connection that io_uring has accepted must not be closed with the listener.
TEST_P(ListenerTest,
       accepts_all_connections_that_it_was_woken_for_before_it_leaves_a_socket_to_others) {
  const Descriptor others(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress at = local();
  ASSERT_EQ(::bind(others.get(), at.data(), at.size()), 0);
  ASSERT_EQ(::listen(others.get(), 64), 0);
  const SocketAddress bound = SocketAddress::of_socket(others.get()).value();
  thread_->call([&] { ASSERT_TRUE(server_->listener.adopt(Descriptor(::dup(others.get())))); });
  ASSERT_TRUE(Peer(bound).is_connected());
  ASSERT_TRUE(becomes_true(*thread_, [&] { return server_->connections.size() == 1; }));
  std::vector<std::unique_ptr<Peer>> peers;
  // Within one turn: the kernel may accept them, but the loop is not informed yet.
  thread_->call([&] {
    for (int count = 0; count < 20; ++count) {
      peers.push_back(std::make_unique<Peer>(bound));
    }
    server_->listener.begin_closing();
  });
  ASSERT_TRUE(becomes_true(*thread_, [&] { return server_->listener.try_close(); }));
  std::size_t accepted = 0;
  thread_->call([&] { accepted = server_->connections.size() - 1; });
  EXPECT_EQ(accepted, peers.size());
  const Peer later(bound);
  EXPECT_TRUE(later.is_connected());
  EXPECT_TRUE(Descriptor(::accept(others.get(), nullptr, nullptr)).is_open());
}

TEST_P(ListenerTest, waits_for_a_client_that_the_kernel_keeps_back_until_it_speaks) {
  if (!detail::runtime::handshakes_under_way(1)) {
    GTEST_SKIP() << "this kernel does not tell of handshakes";
  }
  thread_->call([&] {
    server_->bytes = [](testing::TestConnection& connection, std::string_view bytes) {
      connection.stream.output().append(bytes);
    };
  });
  ASSERT_TRUE(open(local(), {.when = AcceptWhen::readable}));
  const Peer silent(address());
  ASSERT_TRUE(silent.is_connected());
  thread_->call([&] {
    server_->listener.begin_closing();
    EXPECT_FALSE(server_->listener.try_close());
  });
  ASSERT_TRUE(silent.send("late"));
  EXPECT_EQ(silent.receive(4), "late");
  EXPECT_TRUE(becomes_true(*thread_, [&] { return server_->listener.try_close(); }));
}

TEST_P(ListenerTest, lets_nobody_in_that_begins_to_connect_while_it_closes) {
  ASSERT_TRUE(open(local()));
  const SocketAddress at = address();
  thread_->call([&] { server_->listener.begin_closing(); });
  const Descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  EXPECT_NE(::connect(late.get(), at.data(), at.size()), 0);
  EXPECT_TRUE(becomes_true(*thread_, [&] { return server_->listener.try_close(); }));
  pollfd one{.fd = late.get(), .events = POLLOUT, .revents = 0};
  ASSERT_EQ(::poll(&one, 1, 10'000), 1) << "the kernel asks again after a second";
  EXPECT_EQ(pending_error(late.get()), ECONNREFUSED);
}

TEST_P(ListenerTest, a_port_in_use_is_refused_unless_it_is_shared) {
  ASSERT_TRUE(open(local(), {.sharing = PortSharing::shared}));
  const SocketAddress taken = address();
  thread_->call([&] {
    TestServer exclusive(thread_->loop());
    const auto refused = exclusive.listener.open(taken);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), NetError::address_in_use);
    TestServer sharing(thread_->loop());
    EXPECT_TRUE(sharing.listener.open(taken, {.sharing = PortSharing::shared}));
  });
}

TEST_P(ListenerTest, an_address_of_another_machine_is_refused) {
  const auto refused = open(SocketAddress::parse("192.0.2.1", 0).value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), NetError::address_unavailable);
}

TEST_P(ListenerTest, survives_the_want_of_descriptors_and_tells_it_once) {
#ifdef EIDER_HAS_ADDRESS_SANITIZER
  GTEST_SKIP() << "the sanitizers open a pipe to look at a vtable, and report what they cannot see";
#endif
  std::vector<Descriptor> sockets;
  for (int index = 0; index < 3; ++index) {
    sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  }
  clockid_t clock = 0;
  std::int64_t spent_before = 0;
  const auto spent = [&] {
    timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  thread_->call([&] {
    ::pthread_getcpuclockid(::pthread_self(), &clock);
    spent_before = spent();
  });
  {
    // Set before the listener opens, because io_uring checks the limit when an accept is armed.
    const FewDescriptorsLeft one(1);
    ASSERT_TRUE(open(local()));
    const SocketAddress at = address();
    for (const Descriptor& socket : sockets) {
      ASSERT_EQ(::connect(socket.get(), at.data(), at.size()), 0);
    }
    ASSERT_TRUE(becomes_true(*thread_, [&] { return !server_->failures.empty(); }));
    // Four pauses of the listener, during which it must not spin.
    const Instant until = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    EXPECT_TRUE(becomes_true(*thread_, [&] { return thread_->loop().now() >= until; }));
  }
  EXPECT_TRUE(becomes_true(*thread_, [&] { return server_->connections.size() == 3; }));
  thread_->call([&] {
    ASSERT_EQ(server_->failures.size(), 1U);
    EXPECT_EQ(server_->failures[0], NetError::too_many_open);
    EXPECT_LT(spent() - spent_before, 150'000'000);
  });
}

TEST_P(ListenerTest, closing_inside_on_accept_stops_accepting) {
  thread_->call(
      [&] { server_->accepted = [&](testing::TestConnection&) { server_->listener.close(); }; });
  ASSERT_TRUE(open(local()));
  const SocketAddress at = address();
  const Peer first(at);
  ASSERT_TRUE(becomes_true(*thread_, [&] { return server_->connections.size() == 1; }));
  thread_->call([&] { EXPECT_FALSE(server_->listener.is_open()); });
  EXPECT_TRUE(becomes_true(*thread_, [&] { return !Peer(at).is_connected(); }));
}

TEST_P(ListenerTest, can_be_closed_and_opened_again) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(open(local()));
    const Peer peer(address());
    EXPECT_TRUE(peer.is_connected());
    thread_->call([&] { server_->listener.close(); });
  }
}

TEST_P(ListenerTest, takes_over_a_unix_path_that_was_left_behind_and_removes_it_at_the_end) {
  const std::string path = ::testing::TempDir() + "eider_listener_" + std::to_string(::getpid());
  const SocketAddress at = SocketAddress::parse("unix:" + path, 0).value();
  {
    const Descriptor left_behind(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(left_behind.get(), at.data(), at.size()), 0);
  }
  ASSERT_TRUE(open(at));
  EXPECT_TRUE(Peer(at).is_connected());
  thread_->call([&] {
    TestServer second(thread_->loop());
    const auto refused = second.listener.open(at);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), NetError::address_in_use);
    server_->listener.close();
  });
  struct stat status{};
  EXPECT_NE(::stat(path.c_str(), &status), 0);
}

TEST_P(ListenerTest, leaves_a_file_that_is_no_socket_as_it_is) {
  const std::string path = ::testing::TempDir() + "eider_file_" + std::to_string(::getpid());
  {
    const Descriptor file(::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  thread_->call([&] {
    TestServer server(thread_->loop());
    const auto refused = server.listener.open(SocketAddress::parse("unix:" + path, 0).value());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), NetError::address_in_use);
  });
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace eider
