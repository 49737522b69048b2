// A sealed stream whose kernel encrypts: when it takes over, what passes it, and how it ends.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "eider/runtime/detail/test_kernel_tls.h"
#include "eider/runtime/detail/test_streams.h"
#include "eider/runtime/stream.h"

namespace eider {
namespace {

using testing::are_same;
using testing::echo;
using testing::HandingSeal;
using testing::kManyBytes;
using testing::pattern;
using testing::Peer;
using testing::sealed;
using testing::TestConnection;
using testing::TestKernel;
using testing::TestServer;

constexpr std::size_t kFileBytes = 200'000;

/// Each connection sends a file for 'f', two bytes of it for 's', and echoes all else.
class KernelStreamTest : public testing::StreamTestBase {
 protected:
  void SetUp() override {
    StreamTestBase::SetUp();
    if (!IsSkipped()) {
      make_file();
      serve(KernelTlsUse::files);
    }
  }

  void make_file() {
    std::string name = std::filesystem::temp_directory_path() / "eider_kernel_XXXXXX";
    Descriptor made(::mkstemp(name.data()));
    ::unlink(name.c_str());
    const std::string content = pattern(kManyBytes);
    ASSERT_EQ(::write(made.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    file = std::make_shared<const Descriptor>(std::move(made));
  }

  void serve(KernelTlsUse use) {
    on_loop([this, use](TestServer& server) {
      server.accepted = [this, use](TestConnection& connection) {
        connection.stream.secure(std::make_unique<HandingSeal>(kernel, use));
      };
      server.bytes = [this](TestConnection& connection, std::string_view bytes) {
        answer(connection, bytes);
      };
    });
  }

  void answer(TestConnection& connection, std::string_view bytes) const {
    switch (bytes.front()) {
      case 'f':
        connection.stream.output().append("head");
        connection.stream.send_file(file, 1, kFileBytes);
        return;
      case 's':
        return connection.stream.send_file(file, 1, 2);
      case 'e':
        connection.stream.send_file(file, 0, kManyBytes);
        return connection.stream.end();
      case 'c':
        connection.stream.output().append("bye");
        EXPECT_TRUE(connection.stream.flush());
        return connection.stream.close();
      default:
        return echo(connection, bytes);
    }
  }

  [[nodiscard]] Peer open(int receive_bytes = 0) const {
    Peer peer = connect(receive_bytes);
    EXPECT_TRUE(peer.send("H"));
    EXPECT_EQ(peer.receive(1), "h");
    return peer;
  }

  /// Asks for the file, which the kernel takes over with.
  [[nodiscard]] Peer open_with_file() const {
    Peer peer = open();
    EXPECT_TRUE(peer.send(sealed("f")));
    EXPECT_TRUE(are_same(peer.receive(4 + kFileBytes), in_clear()));
    return peer;
  }
  static std::string in_clear() { return "head" + pattern(kFileBytes + 1).substr(1); }

  TestKernel kernel;
  std::shared_ptr<const Descriptor> file;
};
INSTANTIATE_TEST_SUITE_P(Backends, KernelStreamTest, testing::all_backends(),
                         testing::backend_name);

TEST_P(KernelStreamTest, the_seal_encrypts_until_a_large_file_is_sent) {
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("hello")));
  EXPECT_EQ(peer.receive(10), sealed("hello"));
  ASSERT_TRUE(peer.send(sealed("s")));
  EXPECT_EQ(peer.receive(4), sealed(pattern(3).substr(1)));
  ASSERT_TRUE(peer.send(sealed("f")));
  EXPECT_TRUE(are_same(peer.receive(4 + kFileBytes), in_clear()));
  ASSERT_TRUE(peer.send(sealed("hello")));
  EXPECT_EQ(peer.receive(5), "hello") << "there is no way back";
  ASSERT_TRUE(peer.send(sealed("s")));
  EXPECT_EQ(peer.receive(2), pattern(3).substr(1));
  on_loop([this](TestServer&) { EXPECT_EQ(kernel.asked, 1); });
}

TEST_P(KernelStreamTest, a_kernel_that_cannot_is_asked_once_and_nothing_changes) {
  on_loop([this](TestServer&) { kernel.is_able = false; });
  const Peer peer = open();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(peer.send(sealed("f")));
    EXPECT_TRUE(are_same(peer.receive(2 * (4 + kFileBytes)), sealed(in_clear())));
  }
  on_loop([this](TestServer&) { EXPECT_EQ(kernel.asked, 1); });
}

TEST_P(KernelStreamTest, it_never_takes_over_where_it_must_not) {
  serve(KernelTlsUse::never);
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("f")));
  EXPECT_TRUE(are_same(peer.receive(2 * (4 + kFileBytes)), sealed(in_clear())));
  on_loop([this](TestServer&) { EXPECT_EQ(kernel.asked, 0); });
}

TEST_P(KernelStreamTest, it_takes_over_with_the_first_bytes_where_it_always_may) {
  serve(KernelTlsUse::always);
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("hello")));
  EXPECT_EQ(peer.receive(5), "hello");
}

TEST_P(KernelStreamTest, what_is_written_during_the_handshake_is_sealed_yet) {
  on_loop([this](TestServer& server) {
    server.accepted = [this](TestConnection& connection) {
      connection.stream.secure(std::make_unique<HandingSeal>(kernel, KernelTlsUse::always));
      connection.stream.output().append("early");
      connection.stream.send_owned(" bird");
    };
  });
  const Peer peer = open();
  EXPECT_EQ(peer.receive(20), sealed("early bird"));
  ASSERT_TRUE(peer.send(sealed("late")));
  EXPECT_EQ(peer.receive(4), "late");
}

TEST_P(KernelStreamTest, it_does_not_take_over_while_ciphertext_waits) {
  on_loop([this](TestServer& server) {
    server.bytes = [this](TestConnection& connection, std::string_view) {
      connection.stream.output().append(pattern(kManyBytes));
      EXPECT_FALSE(connection.stream.flush());
      answer(connection, "f");
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("x")));
  const std::string expected = sealed(pattern(kManyBytes) + in_clear());
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections.at(0)->drains >= 1; }));
  on_loop([this](TestServer&) { EXPECT_EQ(kernel.asked, 0); });
  ASSERT_TRUE(peer.send(sealed("x")));
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
}

TEST_P(KernelStreamTest, a_slow_peer_gets_all_and_then_the_end) {
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("e")));
  EXPECT_TRUE(are_same(peer.receive_all(), pattern(kManyBytes) + "[E.]"));
}

TEST_P(KernelStreamTest, a_close_says_goodbye_as_an_alert) {
  const Peer peer = open_with_file();
  ASSERT_TRUE(peer.send(sealed("c")));
  EXPECT_EQ(peer.receive_all(), "bye[E.]");
}

TEST_P(KernelStreamTest, input_is_still_opened_and_attacks_are_answered_with_an_alert) {
  const Peer peer = open_with_file();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_all(), "[!.]");
  EXPECT_TRUE(becomes([](TestServer& server) {
    return !server.connections[0]->breaks.empty() &&
           server.connections[0]->breaks[0] == NetError::insecure;
  }));
}

TEST_P(KernelStreamTest, an_end_that_was_announced_is_an_end_and_can_be_answered) {
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) {
      connection.stream.output().append("late");
      connection.stream.end();
    };
  });
  const Peer peer = open_with_file();
  ASSERT_TRUE(peer.send("E"));
  EXPECT_EQ(peer.receive_all(), "late[E.]");
}

TEST_P(KernelStreamTest, large_bodies_and_files_keep_their_order) {
  on_loop([this](TestServer& server) {
    server.bytes = [this](TestConnection& connection, std::string_view) {
      answer(connection, "f");
      connection.stream.send_owned(pattern(kManyBytes / 4));
      connection.stream.output().append("tail");
      connection.stream.send_file(file, 0, 3);
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("x")));
  const std::string expected = in_clear() + pattern(kManyBytes / 4) + "tail" + pattern(3);
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
}

}  // namespace
}  // namespace eider
