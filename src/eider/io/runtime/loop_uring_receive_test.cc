#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/test_streams.h"

namespace eider {
namespace {

using testing::are_same;
using testing::kManyBytes;
using testing::pattern;
using testing::Peer;
using testing::TestConnection;
using testing::TestServer;

constexpr std::size_t kPieceBytes = 64UL * 1024;
constexpr std::size_t kSmallBufferBytes = 4096;  // of kernels that do not support large ones

/// Takes one piece in each turn, like a coroutine that awaits each piece.
class Taker final : public Deferred {
 public:
  void take(TestConnection& connection, std::size_t bytes) {
    first_bytes = ++pieces == 1 ? bytes : first_bytes;
    connection_ = &connection;
    connection.stream.pause_reading();
    connection.stream.loop().defer(*this);
  }
  void run() override { connection_->stream.resume_reading(); }

  std::size_t pieces = 0;
  std::size_t first_bytes = 0;

 private:
  TestConnection* connection_ = nullptr;
};

using UringReceiveTest = testing::StreamTestBase;
INSTANTIATE_TEST_SUITE_P(Backends, UringReceiveTest, ::testing::Values(&make_uring_loop),
                         testing::backend_name);

// Bytes that arrive while they are not wanted are copied and reported together, so large pieces
// must be rare.
TEST_P(UringReceiveTest, who_takes_a_piece_in_a_turn_is_given_few_that_were_copied_aside) {
  Taker taker;
  on_loop([&](TestServer& server) {
    server.bytes = [&](TestConnection& connection, std::string_view bytes) {
      taker.take(connection, bytes.size());
    };
  });
  const Peer peer = connect();
  const std::string body = pattern(kManyBytes);
  ASSERT_TRUE(peer.send(body));
  EXPECT_TRUE(becomes([&](TestServer& server) {
    return server.connections.size() == 1 && server.connections[0]->received.size() == body.size();
  }));
  on_loop([&](TestServer& server) {
    EXPECT_TRUE(are_same(server.connections[0]->received, body));
    if (taker.first_bytes > kSmallBufferBytes) {
      EXPECT_GT(taker.pieces, body.size() / (2 * kPieceBytes));
    }
    server.connections.clear();
  });
}

}  // namespace
}  // namespace eider
