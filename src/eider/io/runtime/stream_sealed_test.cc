#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/test_seal.h"
#include "eider/io/runtime/test_streams.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider {
namespace {

using testing::are_same;
using testing::echo;
using testing::kManyBytes;
using testing::pattern;
using testing::Peer;
using testing::sealed;
using testing::TestConnection;
using testing::TestSeal;
using testing::TestServer;

/// A server whose connections are encrypted from their first byte on.
class SealedStreamTest : public testing::StreamTestBase {
 protected:
  void SetUp() override {
    StreamTestBase::SetUp();
    if (!IsSkipped()) {
      on_loop([](TestServer& server) {
        server.accepted = [](TestConnection& connection) {
          connection.stream.secure(std::make_unique<TestSeal>());
        };
      });
    }
  }

  [[nodiscard]] Peer open(int receive_bytes = 0) const {
    Peer peer = connect(receive_bytes);
    EXPECT_TRUE(peer.send("H"));
    EXPECT_EQ(peer.receive(1), "h");
    return peer;
  }
  bool breaks_with(NetError error) {
    return becomes([error](TestServer& server) {
      return server.connections.size() == 1 && server.connections[0]->breaks.size() == 1 &&
             server.connections[0]->breaks[0] == error && !server.connections[0]->stream.is_open();
    });
  }
  std::string why_insecure() {
    std::string why;
    on_loop([&why](TestServer& server) { why = server.connections.at(0)->why_insecure; });
    return why;
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, SealedStreamTest, testing::all_backends(),
                         testing::backend_name);

TEST_P(SealedStreamTest, the_owner_reads_and_writes_plaintext) {
  on_loop([](TestServer& server) { server.bytes = echo; });
  const Peer peer = open();
  for (int round = 0; round < 50; ++round) {
    const std::string message = sealed("message " + std::to_string(round));
    ASSERT_TRUE(peer.send(message));
    ASSERT_EQ(peer.receive(message.size()), message);
  }
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections.at(0)->stream.seal()->tls().version, "test");
  });
}

TEST_P(SealedStreamTest, bytes_cut_anywhere_arrive_in_order) {
  on_loop([](TestServer& server) { server.bytes = echo; });
  const Peer peer = open();
  const std::string message = sealed("cut at every byte");
  for (const char byte : message) {
    ASSERT_TRUE(peer.send({&byte, 1}));
  }
  EXPECT_EQ(peer.receive(message.size()), message);
}

TEST_P(SealedStreamTest, what_is_written_during_the_handshake_leaves_behind_it) {
  on_loop([](TestServer& server) {
    server.accepted = [](TestConnection& connection) {
      connection.stream.secure(std::make_unique<TestSeal>());
      connection.stream.output().append("early");
      connection.stream.send_owned(" bird");
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("H"));
  EXPECT_EQ(peer.receive(21), "h" + sealed("early bird"));
}

TEST_P(SealedStreamTest, what_came_ahead_of_the_seal_belongs_to_it) {
  on_loop([](TestServer& server) {
    server.accepted = nullptr;
    server.bytes = [](TestConnection& connection, std::string_view bytes) {
      if (connection.stream.seal() == nullptr) {
        connection.stream.secure(std::make_unique<TestSeal>(), bytes.substr(6));
      } else {
        echo(connection, bytes);
      }
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("PROXY H" + sealed("hello")));
  EXPECT_EQ(peer.receive(11), "h" + sealed("hello"));
}

TEST_P(SealedStreamTest, nothing_behind_a_full_socket_holds_nothing_up) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.send_owned(pattern(kManyBytes));
      EXPECT_GT(connection.stream.waiting_bytes(), 0U);
      connection.stream.send_owned("");
      connection.stream.send_owned("and this behind it");
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("x")));
  ASSERT_TRUE(output_waits());
  const std::string expected = sealed(pattern(kManyBytes) + "and this behind it");
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
}

TEST_P(SealedStreamTest, what_the_socket_refuses_waits_and_is_told_when_it_has_left) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.output().append(pattern(kManyBytes));
      EXPECT_FALSE(connection.stream.flush());
      EXPECT_GT(connection.stream.waiting_bytes(), 0U);
      connection.stream.output().append("and this behind it");
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("x")));
  ASSERT_TRUE(output_waits());
  const std::string expected = sealed(pattern(kManyBytes) + "and this behind it");
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections.at(0)->drains >= 1; }));
}

TEST_P(SealedStreamTest, one_that_reads_while_output_waits_is_told_at_once) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      if (connection.received.size() == 1) {
        connection.stream.read_while_waiting();
        connection.stream.output().append(pattern(kManyBytes));
      }
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("1")));
  ASSERT_TRUE(output_waits());
  ASSERT_TRUE(peer.send(sealed("2")));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->received == "12"; }));
  const std::string expected = sealed(pattern(kManyBytes));
  EXPECT_TRUE(are_same(peer.receive(expected.size()), expected));
}

// The encryption contains more input than its owner has read. The socket has room for more than one
// turn's share of the output, but not for all.
TEST(SealedStream, one_that_reads_while_output_waits_is_told_what_was_held_when_it_reads_on) {
  SimKernel kernel;
  SimLoop loop(kernel);
  TestServer server(loop);
  TestConnection connection(loop, server);
  server.bytes = [](TestConnection& told, std::string_view) {
    if (told.received.size() < 80'000) {
      told.stream.pause_reading();
    }
  };
  SimPair pair = kernel.connect_pair();
  pair.client.set_window(3U << 20U);
  loop.call([&] {
    connection.stream.open(std::move(pair.server));
    connection.stream.secure(std::make_unique<TestSeal>(), "H" + sealed(pattern(80'000)));
    connection.stream.read_while_waiting();
  });
  ASSERT_LT(connection.received.size(), 80'000U) << "the rest is held";
  loop.call([&] {
    connection.stream.send_owned(pattern(kManyBytes));
    connection.stream.resume_reading();
  });
  EXPECT_GT(connection.stream.waiting_bytes(), 0U);
  EXPECT_TRUE(are_same(connection.received, pattern(80'000)));
}

TEST_P(SealedStreamTest, large_bodies_and_files_are_sealed_in_pieces_in_their_order) {
  std::string name = std::filesystem::temp_directory_path() / "eider_sealed_XXXXXX";
  Descriptor file(::mkstemp(name.data()));
  ::unlink(name.c_str());
  const std::string content = pattern(kManyBytes / 2);
  ASSERT_EQ(::write(file.get(), content.data(), content.size()),
            static_cast<ssize_t>(content.size()));
  const auto shared = std::make_shared<const Descriptor>(std::move(file));
  on_loop([&](TestServer& server) {
    server.bytes = [&](TestConnection& connection, std::string_view) {
      connection.stream.output().append("head");
      connection.stream.send_file(shared, 1, content.size() - 1);
      connection.stream.send_owned(pattern(kManyBytes / 4));
      connection.stream.output().append("tail");
      connection.stream.end();
    };
  });
  const Peer peer = open(8192);
  ASSERT_TRUE(peer.send(sealed("x")));
  EXPECT_TRUE(
      are_same(peer.receive_all(),
               sealed("head" + content.substr(1) + pattern(kManyBytes / 4) + "tail") + "E"));
}

TEST_P(SealedStreamTest, a_file_that_is_too_short_breaks_the_connection) {
  std::string name = std::filesystem::temp_directory_path() / "eider_sealed_XXXXXX";
  const auto file = std::make_shared<const Descriptor>(::mkstemp(name.data()));
  ::unlink(name.c_str());
  on_loop([&](TestServer& server) {
    server.bytes = [&](TestConnection& connection, std::string_view) {
      connection.stream.send_file(file, 0, 10);
    };
  });
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("x")));
  EXPECT_TRUE(breaks_with(NetError::other));
}

TEST_P(SealedStreamTest, nothing_is_told_while_paused_and_all_of_it_afterwards) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view bytes) {
      if (bytes.starts_with("stop")) {
        connection.stream.pause_reading();
      }
    };
  });
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("stop")));
  ASSERT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->received == "stop"; }));
  const std::string much = pattern(300'000);
  std::thread sender([&] { EXPECT_TRUE(peer.send(sealed(much) + "E")); });
  ::poll(nullptr, 0, 20);
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections[0]->received, "stop");
    server.connections[0]->stream.resume_reading();
  });
  sender.join();
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->ends == 1; }));
  on_loop([&](TestServer& server) {
    EXPECT_TRUE(are_same(server.connections[0]->received, "stop" + much));
  });
}

TEST_P(SealedStreamTest, an_end_that_was_announced_is_an_end_and_can_be_answered) {
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) {
      connection.stream.output().append("late");
      connection.stream.end();
    };
  });
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("question") + "E"));
  EXPECT_EQ(peer.receive_all(), sealed("late") + "E");
}

TEST_P(SealedStreamTest, an_end_that_was_not_announced_is_a_broken_connection) {
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("half a ")));
  peer.end();
  EXPECT_TRUE(breaks_with(NetError::reset));
}

TEST_P(SealedStreamTest, a_write_to_a_peer_that_is_gone_does_not_hide_what_it_had_said) {
  Peer peer = open();
  on_loop([&](TestServer& server) {
    TestConnection& connection = *server.connections.at(0);
    connection.stream.read_while_waiting();
    ASSERT_TRUE(peer.send(sealed("answer")));
    peer.reset();
    connection.stream.output().append("into the void");
    connection.stream.flush();
  });
  EXPECT_TRUE(breaks_with(NetError::reset));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "answer"); });
}

TEST_P(SealedStreamTest, what_was_tampered_with_is_told_after_the_alert) {
  const Peer peer = open();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_all(), "!");
  EXPECT_TRUE(breaks_with(NetError::insecure));
  EXPECT_EQ(why_insecure(), "An unknown record.");
}

TEST_P(SealedStreamTest, a_handshake_that_fails_is_told) {
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(breaks_with(NetError::insecure));
  EXPECT_EQ(why_insecure(), "An unknown record.");
}

TEST_P(SealedStreamTest, a_stream_may_be_closed_or_destroyed_while_it_is_told_plaintext) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& connection, std::string_view bytes) {
      if (bytes.starts_with("c")) {
        connection.stream.output().append("bye");
        EXPECT_TRUE(connection.stream.flush());
        connection.stream.close();
      } else {
        server.drop(connection);
      }
    };
  });
  const Peer closed = open();
  ASSERT_TRUE(closed.send(sealed("close, with more than one record behind it")));
  EXPECT_EQ(closed.receive_all(), sealed("bye") + "E");
  const Peer dropped = open();
  ASSERT_TRUE(dropped.send(sealed("drop, with more than one record behind it") + "E"));
  EXPECT_EQ(dropped.receive_all(), "E");
}

TEST_P(SealedStreamTest, one_stream_may_write_to_another_sealed_one) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& from, std::string_view bytes) {
      for (const auto& each : server.connections) {
        each->stream.output().append(each.get() == &from ? "me:" : "you:");
        each->stream.output().append(bytes);
      }
    };
  });
  const Peer first = open();
  const Peer second = open();
  ASSERT_TRUE(first.send(sealed("hi")));
  EXPECT_EQ(first.receive(10), sealed("me:hi"));
  EXPECT_EQ(second.receive(12), sealed("you:hi"));
}

TEST_P(SealedStreamTest, a_reset_says_no_goodbye) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) { connection.stream.reset(); };
  });
  const Peer peer = open();
  ASSERT_TRUE(peer.send(sealed("x")));
  EXPECT_TRUE(peer.is_reset());
}

}  // namespace
}  // namespace eider
