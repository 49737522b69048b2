#include "eider/runtime/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "eider/runtime/detail/test_backends.h"
#include "eider/runtime/detail/test_peer.h"
#include "eider/runtime/detail/test_server.h"

namespace eider {
namespace {

using testing::becomes_true;
using testing::local;
using testing::LoopThread;
using testing::Peer;
using testing::TestConnection;
using testing::TestServer;

constexpr std::size_t kManyBytes = std::size_t{8} << 20;

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t index = 0; index < bytes; ++index) {
    text[index] = static_cast<char>('a' + (index * 31 + index / 4096) % 26);
  }
  return text;
}

/// Where two long texts first differ, so that a failure does not print megabytes.
::testing::AssertionResult are_same(std::string_view got, std::string_view expected) {
  const std::size_t shorter = std::min(got.size(), expected.size());
  for (std::size_t index = 0; index < shorter; ++index) {
    if (got[index] != expected[index]) {
      return ::testing::AssertionFailure() << "they differ at byte " << index;
    }
  }
  return got.size() == expected.size() ? ::testing::AssertionSuccess()
                                       : ::testing::AssertionFailure()
                                             << got.size() << " bytes, expected "
                                             << expected.size();
}

void echo(TestConnection& connection, std::string_view bytes) {
  connection.stream.output().append(bytes);
}

/// A server on 127.0.0.1 whose loop has a thread of its own; each test says what it answers.
class StreamTest : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    thread_ = std::make_unique<LoopThread>(GetParam());
    if (!thread_->is_running()) {
      GTEST_SKIP() << "this kernel lacks the backend";
    }
    start(local());
  }

  void TearDown() override {
    if (thread_->is_running()) {
      thread_->call([&] { server_.reset(); });
    }
    thread_.reset();
  }

  void start(const Address& at) {
    thread_->call([&] {
      server_ = std::make_unique<TestServer>(thread_->loop());
      const auto opened = server_->listener.open(at);
      ASSERT_TRUE(opened) << text(opened.error());
      address_ = server_->listener.address().value();
    });
  }

  template <class Work>
  void on_loop(Work work) {
    thread_->call([&] { work(*server_); });
  }
  template <class Condition>
  bool becomes(Condition holds) {
    return becomes_true(*thread_, [&] { return holds(*server_); });
  }
  [[nodiscard]] Peer connect(int receive_bytes = 0) const { return Peer(*address_, receive_bytes); }

  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<TestServer> server_;
  std::optional<Address> address_;
};

INSTANTIATE_TEST_SUITE_P(Backends, StreamTest, testing::both_backends(), testing::backend_name);

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
  ASSERT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->stream.waiting_bytes() > 0;
  }));
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
  ASSERT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->stream.waiting_bytes() > 0;
  }));
  ASSERT_TRUE(peer.send("2"));
  ASSERT_TRUE(peer.send("3"));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "1"); });
  EXPECT_TRUE(are_same(peer.receive(kManyBytes), pattern(kManyBytes)));
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->received == "123"; }));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->drains, 1); });
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
  EXPECT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->stream.waiting_bytes() > 0;
  }));
  EXPECT_TRUE(are_same(peer.receive(sent.size()), sent));
  sender.join();
}

TEST_P(StreamTest, a_half_closed_peer_is_still_answered) {
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) {
      connection.stream.output().append("late");
      connection.stream.end();
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("question"));
  peer.end();
  EXPECT_EQ(peer.receive_all(), "late");
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections.at(0)->ends, 1); });
}

TEST_P(StreamTest, the_end_follows_waiting_output) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.send_owned(pattern(kManyBytes));
      connection.stream.end();
    };
  });
  const Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("x"));
  EXPECT_TRUE(are_same(peer.receive_all(), pattern(kManyBytes)));
}

TEST_P(StreamTest, a_connection_that_both_have_ended_is_told_as_closed) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) { connection.stream.end(); };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_TRUE(peer.is_at_end());
  peer.end();
  EXPECT_TRUE(becomes([](TestServer& server) {
    const TestConnection& connection = *server.connections.at(0);
    return connection.ends == 1 || !connection.breaks.empty();
  }));
}

TEST_P(StreamTest, a_reset_is_told_once_and_closes) {
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections.at(0)->breaks.size() == 1; }));
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections[0]->breaks[0], NetError::reset);
    EXPECT_FALSE(server.connections[0]->stream.is_open());
  });
}

TEST_P(StreamTest, a_reset_while_output_waits_is_told) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.send_owned(pattern(kManyBytes));
    };
  });
  Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("x"));
  ASSERT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->stream.waiting_bytes() > 0;
  }));
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamTest, a_reset_after_the_peers_end_is_told) {
  Peer peer = connect();
  peer.end();
  ASSERT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->ends == 1;
  }));
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamTest, a_reset_is_told_also_while_reading_is_paused_and_bytes_wait) {
  on_loop([](TestServer& server) {
    server.accepted = [](TestConnection& connection) { connection.stream.pause_reading(); };
  });
  Peer peer = connect();
  ASSERT_TRUE(peer.send("unread"));
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  // Until the bytes have surely been noticed, if they ever are.
  for (int turn = 0; turn < 20; ++turn) {
    on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, ""); });
  }
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamTest, a_write_to_a_peer_that_is_gone_breaks_after_the_callback) {
  on_loop([](TestServer& server) {
    server.ended = [](TestConnection& connection) { connection.stream.pause_reading(); };
  });
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  peer.close();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections[0]->ends == 1; }));
  EXPECT_TRUE(becomes([](TestServer& server) {
    TestConnection& connection = *server.connections[0];
    if (connection.stream.is_open()) {
      connection.stream.output().append("into the void");
      connection.stream.flush();
      EXPECT_TRUE(connection.breaks.empty()) << "told from within a call";
      return false;
    }
    return connection.breaks.size() == 1;
  }));
}

TEST_P(StreamTest, closing_inside_on_bytes_ends_the_connection) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.output().append("bye");
      EXPECT_TRUE(connection.stream.flush());
      connection.stream.close();
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_all(), "bye");
}

TEST_P(StreamTest, destroying_inside_on_bytes_ends_the_connection) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& connection, std::string_view) {
      server.drop(connection);
    };
  });
  for (int round = 0; round < 50; ++round) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("x"));
    EXPECT_TRUE(peer.is_at_end());
  }
  on_loop([](TestServer& server) { EXPECT_TRUE(server.connections.empty()); });
}

TEST_P(StreamTest, corked_output_of_a_closed_stream_is_dropped_and_others_are_unharmed) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view bytes) {
      connection.stream.output().append(bytes);
      if (bytes.starts_with("drop")) {
        connection.stream.close();
      }
    };
  });
  const Peer dropped = connect();
  const Peer kept = connect();
  ASSERT_TRUE(dropped.send("drop"));
  EXPECT_EQ(dropped.receive_all(), "");
  ASSERT_TRUE(kept.send("kept"));
  EXPECT_EQ(kept.receive(4), "kept");
}

TEST_P(StreamTest, a_callback_may_destroy_all_streams_of_its_batch) {
  constexpr std::size_t kPeers = 20;
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection&, std::string_view) { server.connections.clear(); };
  });
  for (int round = 0; round < 10; ++round) {
    std::vector<std::unique_ptr<Peer>> peers;
    for (std::size_t index = 0; index < kPeers; ++index) {
      peers.push_back(std::make_unique<Peer>(*address_));
    }
    ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == kPeers; }));
    // All are ready before the loop looks again, so that they come in one batch.
    on_loop([&](TestServer&) {
      for (const auto& peer : peers) {
        ASSERT_TRUE(peer->send("x"));
      }
    });
    EXPECT_TRUE(becomes([](TestServer& server) { return server.connections.empty(); }));
  }
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
      Loop::current().post([&server, answer = std::string(bytes)] {
        TestConnection& later = *server.connections.at(0);
        later.stream.output().append(answer);
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

TEST_P(StreamTest, a_stream_reopens_with_another_socket) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      int pair[2];
      ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
      const Descriptor other(pair[1]);
      connection.stream.close();
      ASSERT_EQ(::send(other.get(), "again", 5, 0), 5);
      connection.stream.open(Descriptor(pair[0]));
      EXPECT_TRUE(connection.stream.is_open());
    };
    server.ended = [](TestConnection& connection) { connection.stream.close(); };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_TRUE(peer.is_at_end());
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

TEST_P(StreamTest, serves_ipv6_and_unix_sockets) {
  const std::string path = ::testing::TempDir() + "eider_stream_" + std::to_string(::getpid());
  for (const auto& host : {std::string("::1"), "unix:" + path}) {
    thread_->call([&] { server_.reset(); });
    const auto at = Address::parse(host, 0);
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
