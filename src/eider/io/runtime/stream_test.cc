#include "eider/io/runtime/stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "eider/io/runtime/stream_access.h"
#include "eider/io/runtime/test_streams.h"

namespace eider {
namespace {

using testing::are_same;
using testing::echo;
using testing::kManyBytes;
using testing::local;
using testing::pattern;
using testing::Peer;
using testing::TestConnection;
using testing::TestServer;

class StreamTest : public testing::StreamTestBase {};
INSTANTIATE_TEST_SUITE_P(Backends, StreamTest, testing::all_backends(), testing::backend_name);

/// A server whose loop the test runs several times.
class StreamRunTest : public testing::LoopTestBase {
 protected:
  /// Ends the run with the turn in which `bytes` are written.
  Peer connect(TestServer& server, std::string bytes) {
    EXPECT_TRUE(server.listener.open(local()));
    server.bytes = [this, bytes](TestConnection& connection, std::string_view) {
      connection.stream.output().append(bytes);
      loop().stop();
    };
    Peer peer(server.listener.address().value(), 8192);
    EXPECT_TRUE(peer.send("x"));
    loop().run();
    return peer;
  }
  /// Runs `turns` turns; `work` runs in the first of them.
  template <class Work>
  void run_turns(int turns, Work work) {
    loop().post([&] { work(); });
    std::function<void()> next = [&] {
      if (turns-- == 0) {
        loop().stop();
      } else {
        loop().post(next);
      }
    };
    loop().post(next);
    loop().run();
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, StreamRunTest, testing::all_backends(), testing::backend_name);

/// Returns the number of descriptors in all epoll sets of this process.
std::size_t watched_descriptors() {
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      count += line.starts_with("tfd:") ? 1U : 0U;
    }
  }
  return count;
}

// Like a process that was just forked, before it executes another program.
TEST_P(StreamRunTest, what_closes_is_watched_no_more_while_another_descriptor_of_it_is_open) {
  if (loop().name() != "epoll") {
    GTEST_SKIP() << "it is not asked by name";
  }
  TestServer server(loop());
  const Peer peer = connect(server, "once");
  run_turns(4, [] {});
  const Descriptor other(::dup(StreamAccess::fd(server.connections.front()->stream)));
  ASSERT_TRUE(other.is_open());
  const std::size_t before = watched_descriptors();
  run_turns(2, [&] { server.connections.clear(); });
  EXPECT_EQ(watched_descriptors(), before - 1);
}

TEST_P(StreamRunTest, what_was_written_when_the_loop_stopped_leaves_once) {
  TestServer server(loop());
  const Peer peer = connect(server, "once");
  loop().stop();
  loop().run();  // ends immediately
  run_turns(4, [] {});
  run_turns(2, [&] { server.connections.clear(); });
  EXPECT_EQ(peer.receive_all(), "once");
}

TEST_P(StreamRunTest, a_stream_may_leave_between_two_runs) {
  TestServer server(loop());
  const Peer peer = connect(server, "once");
  server.connections.clear();
  run_turns(4, [] {});
  EXPECT_EQ(peer.receive_all(), "once");
}

TEST_P(StreamRunTest, what_the_socket_refused_when_the_loop_stopped_leaves_in_the_next_run) {
  TestServer server(loop());
  const std::string all = pattern(kManyBytes);
  server.drained = [&](TestConnection& connection) {
    server.drop(connection);
    loop().stop();
  };
  const Peer peer = connect(server, all);
  std::string received;
  std::thread reader([&] { received = peer.receive_all(); });
  loop().run();
  run_turns(1, [] {});
  reader.join();
  EXPECT_TRUE(are_same(received, all));
}

TEST(Stream, costs_at_most_48_bytes) {
  EXPECT_LE(sizeof(Stream), 48U);
}

TEST_P(StreamTest, what_is_received_can_be_sent_back) {
  on_loop([](TestServer& server) { server.bytes = echo; });
  const Peer peer = connect();
  for (int round = 0; round < 100; ++round) {
    const std::string message = "message " + std::to_string(round);
    ASSERT_TRUE(peer.send(message));
    ASSERT_EQ(peer.receive(message.size()), message);
  }
}

TEST_P(StreamTest, all_bytes_arrive_in_order_whatever_their_number) {
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) {
      connection.stream.output().append(std::to_string(connection.received.size()));
      connection.stream.end();
    };
  });
  const std::string sent = pattern(kManyBytes);
  const Peer peer = connect();
  ASSERT_TRUE(peer.send(sent));
  peer.end();
  EXPECT_EQ(peer.receive_all(), std::to_string(sent.size()));
  on_loop(
      [&](TestServer& server) { EXPECT_TRUE(are_same(server.connections.at(0)->received, sent)); });
}

TEST_P(StreamTest, what_the_socket_refuses_waits_and_is_told_when_it_has_left) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.output().append(pattern(kManyBytes));
      EXPECT_FALSE(connection.stream.flush());
      EXPECT_GT(connection.stream.waiting_bytes(), 0U);
    };
  });
  const Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("x"));
  ASSERT_TRUE(output_waits());
  EXPECT_TRUE(are_same(peer.receive(kManyBytes), pattern(kManyBytes)));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections.at(0)->drains == 1; }));
  on_loop(
      [](TestServer& server) { EXPECT_EQ(server.connections.at(0)->stream.waiting_bytes(), 0U); });
}

TEST_P(StreamTest, nothing_is_read_while_output_waits_and_all_of_it_afterwards) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      if (connection.drains == 0) {
        connection.stream.output().append(pattern(kManyBytes));
      }
    };
  });
  const Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("1"));
  ASSERT_TRUE(output_waits());
  ASSERT_TRUE(peer.send("2"));
  ASSERT_TRUE(peer.send("3"));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "1"); });
  EXPECT_TRUE(are_same(peer.receive(kManyBytes), pattern(kManyBytes)));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->received == "123"; }));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->drains, 1); });
}

TEST_P(StreamTest, one_that_reads_while_output_waits_is_told_at_once) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      if (connection.received.size() == 1) {
        connection.stream.read_while_waiting();
        connection.stream.output().append(pattern(kManyBytes));
      }
    };
  });
  const Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("1"));
  ASSERT_TRUE(output_waits());
  ASSERT_TRUE(peer.send("2"));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->received == "12"; }));
  on_loop([](TestServer& server) {
    EXPECT_GT(server.connections[0]->stream.waiting_bytes(), 0U);
    server.connections[0]->stream.pause_reading();
  });
  ASSERT_TRUE(peer.send("3"));
  on_loop([](TestServer& server) { server.connections[0]->stream.resume_reading(); });
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->received == "123"; }));
  EXPECT_TRUE(are_same(peer.receive(kManyBytes), pattern(kManyBytes)));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->drains == 1; }));
}

TEST_P(StreamTest, a_slow_reader_gets_every_byte_of_corked_and_owned_output_in_order) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      for (char letter = 'a'; letter < 'f'; ++letter) {
        connection.stream.output().append(std::string(1000, letter));
        connection.stream.send_owned(std::string(1 << 20, letter));
      }
      connection.stream.output().append("end");
    };
  });
  std::string expected;
  for (char letter = 'a'; letter < 'f'; ++letter) {
    expected.append(1000 + (1 << 20), letter);
  }
  const Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("x"));
  EXPECT_TRUE(are_same(peer.receive(expected.size() + 3), expected + "end"));
}

TEST_P(StreamTest, an_echo_to_a_reader_that_lags_loses_and_swaps_nothing) {
  on_loop([](TestServer& server) { server.bytes = echo; });
  const std::string sent = pattern(kManyBytes);
  const Peer peer = connect(8192);
  std::thread sender([&] { EXPECT_TRUE(peer.send(sent)); });
  EXPECT_TRUE(output_waits());
  EXPECT_TRUE(are_same(peer.receive(sent.size()), sent));
  sender.join();
}

TEST_P(StreamTest, a_callback_may_write_to_another_stream) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& connection, std::string_view bytes) {
      for (const auto& each : server.connections) {
        each->stream.output().append(bytes);
      }
      connection.stream.output().append("!");
    };
  });
  const Peer first = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  const Peer second = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 2; }));
  ASSERT_TRUE(first.send("news"));
  EXPECT_EQ(first.receive(5), "news!");
  EXPECT_EQ(second.receive(4), "news");
}

TEST_P(StreamTest, a_paused_stream_tells_nothing_and_all_of_it_when_it_resumes) {
  on_loop([](TestServer& server) {
    server.accepted = [](TestConnection& connection) { connection.stream.pause_reading(); };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("one"));
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  ASSERT_TRUE(peer.send("two"));
  peer.end();
  for (int turn = 0; turn < 20; ++turn) {
    on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, ""); });
  }
  on_loop([](TestServer& server) { server.connections[0]->stream.resume_reading(); });
  EXPECT_TRUE(becomes([](TestServer& server) {
    return server.connections[0]->received == "onetwo" && server.connections[0]->ends == 1;
  }));
}

TEST_P(StreamTest, a_stream_can_pause_and_resume_around_every_message) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& connection, std::string_view bytes) {
      connection.stream.pause_reading();
      Loop::current().post([&server, response = std::string(bytes)] {
        TestConnection& later = *server.connections.at(0);
        later.stream.output().append(response);
        later.stream.resume_reading();
      });
    };
  });
  const std::string sent = pattern(1 << 20);
  const Peer peer = connect();
  std::thread sender([&] { EXPECT_TRUE(peer.send(sent)); });
  EXPECT_TRUE(are_same(peer.receive(sent.size()), sent));
  sender.join();
}

TEST_P(StreamTest, knows_its_peer) {
  const Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections[0]->stream.peer().value().host(), "127.0.0.1");
  });
}

TEST_P(StreamTest, serves_two_thousand_connections) {
  constexpr std::size_t kPeers = 2000;
  on_loop([](TestServer& server) { server.bytes = echo; });
  std::vector<std::unique_ptr<Peer>> peers;
  for (std::size_t index = 0; index < kPeers; ++index) {
    peers.push_back(std::make_unique<Peer>(*address_));
    ASSERT_TRUE(peers.back()->is_connected());
  }
  for (int round = 0; round < 3; ++round) {
    for (const auto& peer : peers) {
      ASSERT_TRUE(peer->send("ping"));
    }
    for (const auto& peer : peers) {
      ASSERT_EQ(peer->receive(4), "ping");
    }
  }
  peers.clear();
  EXPECT_TRUE(becomes([](TestServer& server) {
    std::size_t ends = 0;
    for (const auto& connection : server.connections) {
      ends += static_cast<std::size_t>(connection->ends);
    }
    return ends == kPeers;
  }));
}

/// Connections that come and go while others stay, in pieces of all sizes: if many receives share
/// buffers, each stream must still get its own bytes.
TEST_P(StreamTest, no_stream_is_told_bytes_of_another) {
  on_loop([](TestServer& server) {
    server.bytes = echo;
    server.ended = [&server](TestConnection& connection) { server.drop(connection); };
  });
  const auto talk = [this](unsigned number) {
    std::mt19937 random(number);
    std::vector<std::unique_ptr<Peer>> peers(8);
    for (int round = 0; round < 300; ++round) {
      auto& peer = peers[random() % peers.size()];
      if (peer == nullptr || random() % 4 == 0) {
        peer = std::make_unique<Peer>(*address_);
      }
      const std::size_t bytes = random() % 8 == 0 ? random() % 60000 : random() % 300;
      const std::string sent = std::to_string(random()) + pattern(bytes);
      ASSERT_TRUE(peer->send(sent));
      ASSERT_TRUE(are_same(peer->receive(sent.size()), sent)) << number << " in " << round;
    }
  };
  std::vector<std::thread> talkers;
  for (unsigned number = 0; number < 4; ++number) {
    talkers.emplace_back(talk, number);
  }
  for (std::thread& talker : talkers) {
    talker.join();
  }
}

TEST_P(StreamTest, many_uploads_at_once_all_arrive_whole) {
  constexpr std::size_t kPeers = 40;
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) {
      const std::string& got = connection.received;
      const auto same = are_same(std::string_view(got).substr(1), pattern(std::size_t{1} << 20));
      connection.stream.output().append(same ? got.front() : '?');
      connection.stream.end();
    };
  });
  std::vector<std::thread> senders;
  for (std::size_t number = 0; number < kPeers; ++number) {
    senders.emplace_back([&, mark = static_cast<char>('A' + number)] {
      const Peer peer(*address_);
      EXPECT_TRUE(peer.send(mark + pattern(std::size_t{1} << 20)));
      peer.end();
      EXPECT_EQ(peer.receive_all(), std::string(1, mark));
    });
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
}

TEST_P(StreamTest, serves_ipv6_and_unix_sockets) {
  const std::string path = ::testing::TempDir() + "eider_stream_" + std::to_string(::getpid());
  for (const auto& host : {std::string("::1"), "unix:" + path}) {
    thread_->call([&] { server_.reset(); });
    const auto at = SocketAddress::parse(host, 0);
    ASSERT_TRUE(at);
    start(*at);
    on_loop([](TestServer& server) { server.bytes = echo; });
    const Peer peer = connect();
    ASSERT_TRUE(peer.is_connected()) << host;
    ASSERT_TRUE(peer.send("hello"));
    EXPECT_EQ(peer.receive(5), "hello") << host;
  }
}

}  // namespace
}  // namespace eider
