#include "eider/io/runtime/stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

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

class StreamEndTest : public testing::StreamTestBase {};
INSTANTIATE_TEST_SUITE_P(Backends, StreamEndTest, testing::all_backends(), testing::backend_name);

TEST_P(StreamEndTest, a_half_closed_peer_is_still_answered) {
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

TEST_P(StreamEndTest, the_end_follows_waiting_output) {
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

TEST_P(StreamEndTest, a_connection_that_both_have_ended_is_told_as_closed) {
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

TEST_P(StreamEndTest, a_reset_is_told_once_and_closes) {
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

TEST_P(StreamEndTest, a_reset_while_output_waits_is_told) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.send_owned(pattern(kManyBytes));
    };
  });
  Peer peer = connect(8192);
  ASSERT_TRUE(peer.send("x"));
  ASSERT_TRUE(output_waits());
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamEndTest, a_reset_after_the_peers_end_is_told) {
  Peer peer = connect();
  peer.end();
  ASSERT_TRUE(becomes([](TestServer& server) {
    return !server.connections.empty() && server.connections[0]->ends == 1;
  }));
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamEndTest, a_reset_is_told_also_while_reading_is_paused_and_bytes_wait) {
  on_loop([](TestServer& server) {
    server.accepted = [](TestConnection& connection) { connection.stream.pause_reading(); };
  });
  Peer peer = connect();
  ASSERT_TRUE(peer.send("unread"));
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  // Waits until the bytes have certainly been noticed, if they ever are.
  for (int turn = 0; turn < 20; ++turn) {
    on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, ""); });
  }
  peer.reset();
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamEndTest, a_write_to_a_peer_that_is_gone_breaks_after_the_callback) {
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

/// The peer has responded and disconnected before the stream writes.
void write_behind_the_end(TestConnection& connection, Peer& peer) {
  ASSERT_TRUE(peer.send("answer"));
  peer.reset();
  connection.stream.output().append("into the void");
  connection.stream.flush();
}

TEST_P(StreamEndTest, a_write_to_a_peer_that_is_gone_does_not_hide_what_it_had_said) {
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([&](TestServer& server) {
    server.connections[0]->stream.read_while_waiting();
    write_behind_the_end(*server.connections[0], peer);
  });
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections[0]->received, "answer");
    EXPECT_EQ(server.connections[0]->breaks[0], NetError::reset);
    EXPECT_EQ(server.connections[0]->ends, 0);
  });
}

TEST_P(StreamEndTest, a_write_to_a_peer_that_is_gone_is_told_though_reading_is_paused) {
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([&](TestServer& server) {
    server.connections[0]->stream.read_while_waiting();
    server.connections[0]->stream.pause_reading();
    write_behind_the_end(*server.connections[0], peer);
  });
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
}

TEST_P(StreamEndTest, a_pause_behind_a_write_to_a_peer_that_is_gone_tells_of_it) {
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([&](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.pause_reading();
    };
    server.connections[0]->stream.read_while_waiting();
    write_behind_the_end(*server.connections[0], peer);
  });
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "answer"); });
}

TEST_P(StreamEndTest, a_reset_within_a_pause_is_told_behind_what_came_before) {
  Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([&](TestServer& server) {
    server.connections[0]->stream.read_while_waiting();
    server.connections[0]->stream.pause_reading();
  });
  ASSERT_TRUE(peer.send("answer"));
  peer.reset();
  for (int turn = 0; turn < 20; ++turn) {  // enough turns to notice the reset
    on_loop([](TestServer& server) { EXPECT_TRUE(server.connections[0]->breaks.empty()); });
  }
  on_loop([](TestServer& server) { server.connections[0]->stream.resume_reading(); });
  EXPECT_TRUE(
      becomes([](TestServer& server) { return server.connections[0]->breaks.size() == 1; }));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "answer"); });
}

TEST_P(StreamEndTest, the_end_of_both_sides_within_a_pause_is_told_behind_what_came_before) {
  const Peer peer = connect();
  ASSERT_TRUE(becomes([](TestServer& server) { return server.connections.size() == 1; }));
  on_loop([&](TestServer& server) {
    server.connections[0]->stream.read_while_waiting();
    server.connections[0]->stream.pause_reading();
    server.connections[0]->stream.end();
  });
  EXPECT_TRUE(peer.is_at_end());
  ASSERT_TRUE(peer.send("last words"));
  peer.end();
  for (int turn = 0; turn < 20; ++turn) {  // enough turns to notice the end
    on_loop([](TestServer& server) { EXPECT_TRUE(server.connections[0]->breaks.empty()); });
  }
  on_loop([](TestServer& server) { server.connections[0]->stream.resume_reading(); });
  EXPECT_TRUE(becomes([](TestServer& server) { return server.connections[0]->ends == 1; }));
  on_loop([](TestServer& server) { EXPECT_EQ(server.connections[0]->received, "last words"); });
}

TEST_P(StreamEndTest, closing_inside_on_bytes_ends_the_connection) {
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

TEST_P(StreamEndTest, destroying_inside_on_bytes_ends_the_connection) {
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

TEST_P(StreamEndTest, corked_output_of_a_closed_stream_is_dropped_and_others_are_unharmed) {
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

TEST_P(StreamEndTest, a_callback_may_destroy_all_streams_of_its_batch) {
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
    // All are ready before the loop looks again, so that they arrive in one batch.
    on_loop([&](TestServer&) {
      for (const auto& peer : peers) {
        ASSERT_TRUE(peer->send("x"));
      }
    });
    EXPECT_TRUE(becomes([](TestServer& server) { return server.connections.empty(); }));
  }
}

TEST_P(StreamEndTest, a_stream_that_is_reset_drops_what_its_peer_has_not_taken) {
  bool is_dropped = false;
  on_loop([&is_dropped](TestServer& server) {
    server.bytes = [&](TestConnection& connection, std::string_view) {
      connection.stream.send_owned(pattern(kManyBytes));
      EXPECT_NE(connection.stream.waiting_bytes(), 0U);
      connection.stream.reset();
      EXPECT_FALSE(connection.stream.is_open());
      connection.stream.reset();  // has no effect
      is_dropped = true;
      server.drop(connection);
    };
  });
  const Peer peer = connect(4096);
  ASSERT_TRUE(peer.send("x"));
  // The peer reads only then, so that the kernel still has unsent bytes. The part that has reached
  // the peer before may be more than a megabyte, because its window grows automatically.
  ASSERT_TRUE(becomes([&](TestServer&) { return is_dropped; }));
  EXPECT_LT(peer.receive(kManyBytes).size(), kManyBytes / 2);
}

TEST_P(StreamEndTest, a_stream_that_is_reset_with_nothing_to_send_resets_as_well) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) { connection.stream.reset(); };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("x"));
  EXPECT_TRUE(peer.is_reset());
}

TEST_P(StreamEndTest, a_stream_reopens_with_another_socket) {
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

}  // namespace
}  // namespace eider
