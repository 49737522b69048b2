#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/test_streams.h"

namespace eider {
namespace {

using testing::are_same;
using testing::kManyBytes;
using testing::pattern;
using testing::Peer;
using testing::TestConnection;
using testing::TestServer;

std::shared_ptr<const Descriptor> file_of(std::string_view bytes) {
  auto file = std::make_shared<Descriptor>(::memfd_create("stream_file_test", MFD_CLOEXEC));
  EXPECT_EQ(::write(file->get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

class StreamFileTest : public testing::StreamTestBase {
 protected:
  void respond_with(std::function<void(TestConnection&)> response) {
    on_loop([&](TestServer& server) {
      server.bytes = [response = std::move(response)](TestConnection& connection,
                                                      std::string_view) { response(connection); };
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, StreamFileTest, testing::all_backends(), testing::backend_name);

TEST_P(StreamFileTest, leaves_between_the_bytes_written_before_and_behind_it) {
  respond_with([file = file_of("0123456789")](TestConnection& connection) {
    connection.stream.output().append("before ");
    connection.stream.send_file(file, 2, 5);
    connection.stream.output().append(" behind");
    connection.stream.end();
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("?"));
  EXPECT_EQ(peer.receive_all(), "before 23456 behind");
}

TEST_P(StreamFileTest, arrives_whole_however_long_it_is) {
  const std::string bytes = pattern(kManyBytes);
  respond_with([file = file_of(bytes)](TestConnection& connection) {
    connection.stream.output().append("<");
    connection.stream.send_file(file, 0, kManyBytes);
    connection.stream.output().append(">");
    connection.stream.send_file(file, 1, kManyBytes - 1);
    connection.stream.end();
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("?"));
  EXPECT_TRUE(are_same(peer.receive_all(), "<" + bytes + ">" + bytes.substr(1)));
}

TEST_P(StreamFileTest, is_told_when_all_of_it_has_left) {
  respond_with([file = file_of(pattern(kManyBytes))](TestConnection& connection) {
    connection.stream.send_file(file, 0, kManyBytes);
  });
  on_loop([](TestServer& server) {
    server.drained = [](TestConnection& connection) { connection.stream.output().append("."); };
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("?"));
  ASSERT_TRUE(output_waits());
  EXPECT_TRUE(are_same(peer.receive(kManyBytes), pattern(kManyBytes)));
  EXPECT_EQ(peer.receive(1), ".");
}

TEST_P(StreamFileTest, of_no_bytes_sends_nothing) {
  respond_with([file = file_of("abc")](TestConnection& connection) {
    connection.stream.output().append("x");
    connection.stream.send_file(file, 3, 0);
    connection.stream.output().append("y");
    connection.stream.end();
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("?"));
  EXPECT_EQ(peer.receive_all(), "xy");
}

TEST_P(StreamFileTest, whose_reader_leaves_breaks_the_connection_and_nothing_else) {
  respond_with([file = file_of(pattern(kManyBytes))](TestConnection& connection) {
    for (int times = 0; times < 8; ++times) {
      connection.stream.send_file(file, 0, kManyBytes);
    }
  });
  for (int times = 0; times < 5; ++times) {
    const Peer peer = connect();
    ASSERT_TRUE(peer.send("?"));
    EXPECT_EQ(peer.receive(1000).size(), 1000U);
  }
  EXPECT_TRUE(becomes([](TestServer& server) {
    return std::ranges::all_of(server.connections,
                               [](const auto& each) { return !each->breaks.empty(); });
  }));
}

TEST_P(StreamFileTest, that_has_shrunk_breaks_the_connection) {
  respond_with([file = file_of("only this")](TestConnection& connection) {
    connection.stream.send_file(file, 0, 1000);
  });
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("?"));
  EXPECT_EQ(peer.receive_all(), "only this");
  EXPECT_TRUE(
      becomes([](TestServer& server) { return !server.connections.at(0)->breaks.empty(); }));
}

}  // namespace
}  // namespace eider
