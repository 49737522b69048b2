// Streams whose peers send early data: told and answered before the handshake's end.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/runtime/detail/test_seal.h"
#include "eider/runtime/detail/test_streams.h"
#include "eider/runtime/stream.h"

namespace eider {
namespace {

using testing::echo;
using testing::Peer;
using testing::sealed;
using testing::TestConnection;
using testing::TestSeal;
using testing::TestServer;

class EarlyStreamTest : public testing::StreamTestBase {
 protected:
  void SetUp() override {
    StreamTestBase::SetUp();
    if (!IsSkipped()) {
      on_loop([](TestServer& server) {
        server.bytes = echo;
        server.accepted = [](TestConnection& connection) {
          connection.stream.secure(std::make_unique<TestSeal>());
        };
      });
    }
  }

  /// Once all of `received` is there: it was told to be secured once, behind `early`.
  void expect_told(const std::string& early, const std::string& received) {
    ASSERT_TRUE(becomes([&](TestServer& server) {
      return server.connections.size() == 1 && server.connections[0]->received == received;
    }));
    on_loop([&](TestServer& server) {
      EXPECT_EQ(server.connections[0]->secured_behind, std::vector<std::string>{early});
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, EarlyStreamTest, testing::all_backends(), testing::backend_name);

TEST_P(EarlyStreamTest, they_are_answered_before_the_handshakes_end) {
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("..Q" + sealed("early")));
  EXPECT_EQ(peer.receive(11), "q" + sealed("early"));
  on_loop([](TestServer& server) { EXPECT_TRUE(server.connections[0]->secured_behind.empty()); });
  ASSERT_TRUE(peer.send("H" + sealed("late")));
  EXPECT_EQ(peer.receive(9), "h" + sealed("late"));
  expect_told("early", "earlylate");
}

TEST_P(EarlyStreamTest, what_follows_the_handshake_in_one_piece_is_told_behind_it) {
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed("some early data") + "H" + sealed("late")));
  expect_told("some early data", "some early datalate");
}

TEST_P(EarlyStreamTest, the_handshakes_end_may_come_alone) {
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed("e")));
  EXPECT_EQ(peer.receive(3), "q" + sealed("e"));
  ASSERT_TRUE(peer.send("H"));
  EXPECT_EQ(peer.receive(1), "h");
  expect_told("e", "e");
}

TEST_P(EarlyStreamTest, bytes_cut_anywhere_are_told_the_same) {
  const Peer peer = connect();
  for (const char byte : ".Q" + sealed("early") + "H" + sealed("late")) {
    ASSERT_TRUE(peer.send({&byte, 1}));
  }
  expect_told("early", "earlylate");
}

TEST_P(EarlyStreamTest, nothing_is_told_while_paused_and_all_of_it_in_order_afterwards) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.pause_reading();
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed("stop")));
  ASSERT_TRUE(becomes([](TestServer& server) {
    return server.connections.size() == 1 && server.connections[0]->received == "stop";
  }));
  ASSERT_TRUE(peer.send(sealed("more") + "H" + sealed("late")));
  ::poll(nullptr, 0, 20);
  on_loop([](TestServer& server) {
    EXPECT_EQ(server.connections[0]->received, "stop");
    server.bytes = nullptr;
    server.connections[0]->stream.resume_reading();
  });
  expect_told("stopmore", "stopmorelate");
}

TEST_P(EarlyStreamTest, an_end_is_said_behind_the_handshake) {
  on_loop([](TestServer& server) {
    server.bytes = [](TestConnection& connection, std::string_view) {
      connection.stream.output().append("bye");
      connection.stream.end();
    };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed("x")));
  EXPECT_EQ(peer.receive(7), "q" + sealed("bye"));
  ::poll(nullptr, 0, 20);
  ASSERT_TRUE(peer.send("H"));
  EXPECT_EQ(peer.receive_all(), "hE");
}

TEST_P(EarlyStreamTest, a_stream_may_be_closed_or_destroyed_while_it_is_told) {
  on_loop([](TestServer& server) {
    server.bytes = [&server](TestConnection& connection, std::string_view bytes) {
      if (bytes.starts_with("c")) {
        connection.stream.close();
      } else {
        server.drop(connection);
      }
    };
  });
  for (const std::string_view word : {"close, and more records", "drop, and more records"}) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("Q" + sealed(word) + "H" + sealed("late")));
    EXPECT_EQ(peer.receive_all(), "qhE") << "the seal was open by then";
  }
}

TEST_P(EarlyStreamTest, who_leaves_ahead_of_the_handshakes_end_has_broken_the_connection) {
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("Q" + sealed("x")));
  EXPECT_EQ(peer.receive(3), "q" + sealed("x"));
  peer.end();
  EXPECT_TRUE(becomes([](TestServer& server) {
    return server.connections[0]->breaks == std::vector<NetError>{NetError::reset};
  }));
}

}  // namespace
}  // namespace eider
