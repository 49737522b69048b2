#include "eider/io/runtime/tcp.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::seconds;

class TcpTest : public ::testing::Test {
 protected:
  TcpTest() {
    SimPair pair = kernel.connect_pair();
    peer = std::move(pair.client);
    connection.emplace(loop, std::move(pair.server));
  }

  SimKernel kernel;
  SimLoop loop{kernel};
  SimClient peer;
  std::optional<TcpStream> connection;
};

// Records the bytes of each read, then "end" or the text of the error.
Task<> read_all(TcpStream& from, std::vector<std::string>& news) {
  while (true) {
    const auto bytes = co_await from.read();
    if (!bytes) {
      news.emplace_back(text(bytes.error()));
      co_return;
    }
    news.emplace_back(bytes->empty() ? "end" : std::string(*bytes));
    if (bytes->empty()) {
      co_return;
    }
  }
}

Task<> write_all(TcpStream& to, std::string bytes, int times, int& written) {
  for (int i = 0; i < times; ++i) {
    if (!co_await to.write(bytes)) {
      co_return;
    }
    ++written;
  }
}

TEST_F(TcpTest, reads_what_arrives_and_then_the_end) {
  std::vector<std::string> news;
  Task<> task = read_all(*connection, news);
  loop.call([&] { task.start(); });
  EXPECT_TRUE(news.empty());
  peer.send("one");
  kernel.run_until_idle();
  peer.send("two");
  peer.half_close();
  kernel.run_until_idle();
  EXPECT_EQ(news, (std::vector<std::string>{"one", "two", "end"}));
}

TEST_F(TcpTest, what_arrived_before_the_read_is_given_at_once_and_together) {
  peer.send("one");
  kernel.run_until_idle();
  peer.send("two");
  kernel.run_until_idle();
  std::vector<std::string> news;
  Task<> task = read_all(*connection, news);
  loop.call([&] {
    task.start();
    EXPECT_EQ(news, std::vector<std::string>{"onetwo"});
  });
}

TEST_F(TcpTest, what_arrived_before_a_reset_is_read_first) {
  peer.send("last words");
  kernel.run_until_idle();
  peer.reset();
  kernel.run_until_idle();
  std::vector<std::string> news;
  Task<> task = read_all(*connection, news);
  loop.call([&] { task.start(); });
  EXPECT_EQ(news, (std::vector<std::string>{"last words", std::string(text(NetError::reset))}));
}

TEST_F(TcpTest, does_not_read_far_ahead_of_its_reader) {
  const std::string block(64 * 1024, 'x');
  for (int i = 0; i < 8; ++i) {
    peer.send(block);
  }
  kernel.run_until_idle();
  std::vector<std::string> news;
  Task<> task = read_all(*connection, news);
  loop.call([&] { task.start(); });
  ASSERT_FALSE(news.empty());
  EXPECT_EQ(news.front().size(), block.size());
  std::size_t sum = 0;
  for (const std::string& bytes : news) {
    sum += bytes.size();
  }
  EXPECT_EQ(sum, 8 * block.size());
}

TEST_F(TcpTest, writes_of_one_turn_leave_together) {
  int written = 0;
  Task<> task = write_all(*connection, "ping ", 3, written);
  loop.call([&] {
    EXPECT_TRUE(task.start());
    EXPECT_EQ(peer.received(), "") << "at the end of the turn";
  });
  EXPECT_EQ(peer.received(), "ping ping ping ");
}

TEST_F(TcpTest, writing_waits_until_a_slow_peer_has_taken_what_was_held_back) {
  peer.set_window(100);
  int written = 0;
  Task<> task = write_all(*connection, std::string(64 * 1024, 'x'), 3, written);
  loop.call([&] { task.start(); });
  EXPECT_EQ(written, 0);
  std::size_t received = 0;
  peer.set_window(64 * 1024);
  while (!task.is_done() || !peer.received().empty()) {
    received += peer.take_received().size();
    kernel.run_until_idle();
  }
  EXPECT_EQ(written, 3);
  EXPECT_EQ(received, 3U * 64 * 1024);
}

TEST_F(TcpTest, who_waits_learns_of_a_lost_connection) {
  peer.set_window(0);
  int written = 0;
  std::vector<std::string> news;
  Task<> writing = write_all(*connection, std::string(64 * 1024, 'x'), 1, written);
  Task<> reading = read_all(*connection, news);
  loop.call([&] {
    writing.start();
    reading.start();
  });
  peer.reset();
  kernel.run_until_idle();
  EXPECT_TRUE(writing.is_done());
  EXPECT_EQ(written, 0);
  EXPECT_EQ(news, std::vector<std::string>{std::string(text(NetError::reset))});
  EXPECT_FALSE(connection->is_open());
}

TEST_F(TcpTest, closing_tells_who_waits_and_the_peer) {
  std::vector<std::string> news;
  Task<> reading = read_all(*connection, news);
  loop.call([&] { reading.start(); });
  loop.call([&] { connection->close(); });
  EXPECT_EQ(news, std::vector<std::string>{std::string(text(NetError::closed))});
  EXPECT_TRUE(peer.is_closed());
}

TEST_F(TcpTest, an_end_leaves_reading_open) {
  loop.call([&] { connection->end(); });
  EXPECT_TRUE(peer.is_closed());
  peer.send("still here");
  std::vector<std::string> news;
  Task<> reading = read_all(*connection, news);
  loop.call([&] { reading.start(); });
  EXPECT_EQ(news, std::vector<std::string>{"still here"});
}

TEST_F(TcpTest, may_be_destroyed_while_a_destroyed_task_waited_on_it) {
  std::vector<std::string> news;
  Task<> reading = read_all(*connection, news);
  loop.call([&] { reading.start(); });
  reading = Task<>();
  connection.reset();
  kernel.run_until_idle();
  EXPECT_TRUE(news.empty());
  EXPECT_TRUE(peer.is_closed());
}

// Over real sockets: a task that connects and one that responds, on one loop.

class Answering final : public ListenerOwner {
 public:
  explicit Answering(Loop& loop) : listener(loop, *this) {}
  void on_accept(Descriptor fd) override { tasks.start(respond(std::move(fd))); }
  void on_accept_failed(NetError /*error*/) override {}

  static Task<> respond(Descriptor fd) {
    TcpStream connection(std::move(fd));
    while (true) {
      const auto bytes = co_await connection.read();
      if (!bytes || bytes->empty()) {
        co_return;
      }
      co_await connection.write(*bytes);
    }
  }

  Listener listener;
  Scope tasks;
};

Task<> ask(std::uint16_t port, std::string& reply) {
  const SocketAddress address = *SocketAddress::parse("127.0.0.1", port);
  Result<Descriptor, NetError> fd = co_await connect(address, seconds(5));
  if (fd) {
    TcpStream connection(std::move(*fd));
    co_await connection.write("over real sockets");
    const auto bytes = co_await connection.read();
    reply = bytes ? std::string(*bytes) : std::string(text(bytes.error()));
  }
  Loop::current().stop();
}

TEST(Tcp, asks_and_answers_over_real_sockets) {
  const auto loop = std::move(*Loop::create(Backend::epoll));
  Answering server(*loop);
  ASSERT_TRUE(server.listener.open(*SocketAddress::parse("127.0.0.1", 0)).has_value());
  std::string reply;
  Task<> task = ask(server.listener.port(), reply);
  loop->post([&] { task.start(); });
  loop->run();
  EXPECT_EQ(reply, "over real sockets");
}

/// A protocol that receives bytes.
struct Told final : StreamOwner {
  void on_bytes(std::string_view bytes) override {
    news.emplace_back(bytes);
    if (closes != nullptr) {
      closes->close();
    }
  }
  void on_end() override { news.emplace_back("end"); }
  void on_drained() override { news.emplace_back("drained"); }
  void on_broken(NetError error) override { news.emplace_back(text(error)); }

  std::vector<std::string> news;
  Stream* closes = nullptr;
};

TEST_F(TcpTest, what_was_unread_comes_again_ahead_of_what_has_arrived_since) {
  std::vector<std::string> news;
  peer.send("head, body");
  kernel.run_until_idle();
  Task<> task = [](TcpStream& from, std::vector<std::string>& heard) -> Task<> {
    const auto bytes = co_await from.read();
    heard.emplace_back(*bytes);
    from.unread("body");
  }(*connection, news);
  loop.call([&] { task.start(); });
  peer.send(" and more");
  kernel.run_until_idle();
  Task<> rest = read_all(*connection, news);
  loop.call([&] { rest.start(); });
  EXPECT_EQ(news, (std::vector<std::string>{"head, body", "body and more"}));
}

TEST_F(TcpTest, who_takes_over_is_told_what_nobody_has_read_and_then_all_else) {
  Told told;
  peer.send("before");
  kernel.run_until_idle();
  loop.call([&] {
    connection->hand_over(told);
    EXPECT_TRUE(told.news.empty()) << "not within the call";
  });
  peer.send("behind");
  peer.half_close();
  kernel.run_until_idle();
  EXPECT_EQ(told.news, (std::vector<std::string>{"before", "behind", "end"}));
}

TEST_F(TcpTest, who_takes_over_is_told_of_an_end_and_a_loss_before) {
  Told ended;
  peer.send("last words");
  peer.half_close();
  kernel.run_until_idle();
  loop.call([&] { connection->hand_over(ended); });
  kernel.run_until_idle();
  EXPECT_EQ(ended.news, (std::vector<std::string>{"last words", "end"}));
  SimPair pair = kernel.connect_pair();
  TcpStream lost(loop, std::move(pair.server));
  Told told;
  pair.client.send("last words");
  kernel.run_until_idle();
  pair.client.reset();
  kernel.run_until_idle();
  loop.call([&] { lost.hand_over(told); });
  kernel.run_until_idle();
  EXPECT_EQ(told.news, (std::vector<std::string>{"last words", "the peer reset the connection"}));
}

TEST_F(TcpTest, who_takes_over_and_closes_is_told_no_more) {
  Told told;
  told.closes = &connection->stream();
  peer.send("enough");
  peer.half_close();
  kernel.run_until_idle();
  loop.call([&] { connection->hand_over(told); });
  kernel.run_until_idle();
  EXPECT_EQ(told.news, std::vector<std::string>{"enough"});
}

TEST_F(TcpTest, who_takes_over_is_told_all_of_more_than_is_read_ahead) {
  const std::string much(200 * 1024, 'x');
  Told told;
  peer.send(much);
  kernel.run_until_idle();
  loop.call([&] { connection->hand_over(told); });
  kernel.run_until_idle();
  std::size_t bytes = 0;
  for (const std::string& each : told.news) {
    bytes += each.size();
  }
  EXPECT_EQ(bytes, much.size());
}

}  // namespace
}  // namespace eider
