// Data that is passed to the next process, over real sockets of one process.
#include "eider/server/process/handover.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "eider/server/process/predecessor.h"
#include "eider/server/server.h"

namespace eider::detail::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Pair {
  Pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    here = HandoverChannel(Descriptor(ends[0]));
    there = Descriptor(ends[1]);
  }
  HandoverChannel here;
  Descriptor there;
};

/// A descriptor that can be identified by its size.
Descriptor file_of(std::size_t bytes) {
  Descriptor file(::open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

off_t bytes_of(const Descriptor& file) {
  return ::lseek(file.get(), 0, SEEK_END);
}

bool is_closed(int fd) {
  return ::fcntl(fd, F_GETFD) < 0;
}

TEST(HandoverChannel, keeps_messages_apart_and_their_sockets_to_this_process) {
  Pair pair;
  HandoverChannel there(std::move(pair.there));
  const Descriptor first = file_of(1);
  const Descriptor second = file_of(2);
  ASSERT_TRUE(pair.here.send(HandoverWord::sockets, "a", std::array{first.get(), second.get()}));
  ASSERT_TRUE(pair.here.send(HandoverWord::all_sent, {}));
  const auto sockets = there.receive(seconds(5));
  ASSERT_TRUE(sockets);
  EXPECT_EQ(sockets->word, HandoverWord::sockets);
  EXPECT_EQ(sockets->text, "a");
  ASSERT_EQ(sockets->sockets.size(), 2U);
  EXPECT_EQ(bytes_of(sockets->sockets[0]), 1);
  EXPECT_EQ(bytes_of(sockets->sockets[1]), 2);
  EXPECT_EQ(::fcntl(sockets->sockets[0].get(), F_GETFD), FD_CLOEXEC);
  const auto end = there.receive(seconds(5));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->word, HandoverWord::all_sent);
  EXPECT_FALSE(there.receive(Duration::zero()));
  EXPECT_FALSE(there.is_over());
}

TEST(HandoverChannel, tells_the_end_and_no_signal_ends_the_process) {
  Pair pair;
  pair.there.close();
  EXPECT_FALSE(pair.here.receive(seconds(5)));
  EXPECT_TRUE(pair.here.is_over());
  EXPECT_FALSE(pair.here.send(HandoverWord::go, {}));
}

class PredecessorTest : public ::testing::Test {
 protected:
  void name(int fd) const { ::setenv("EIDER_HANDOVER", std::to_string(fd).c_str(), 1); }
  void TearDown() override { ::unsetenv("EIDER_HANDOVER"); }
  Pair pair_;
};

TEST_F(PredecessorTest, gives_each_place_its_sockets_once_and_closes_what_nobody_takes) {
  const Descriptor one = file_of(1);
  const Descriptor two = file_of(2);
  const Descriptor other = file_of(3);
  // As for more sockets than a message can contain.
  ASSERT_TRUE(pair_.here.send(HandoverWord::sockets, "a:1", std::array{one.get()}));
  ASSERT_TRUE(pair_.here.send(HandoverWord::sockets, "b:2", std::array{other.get()}));
  ASSERT_TRUE(pair_.here.send(HandoverWord::sockets, "a:1", std::array{two.get()}));
  ASSERT_TRUE(pair_.here.send(HandoverWord::all_sent, {}));
  name(pair_.there.release());
  Predecessor before = Predecessor::from_environment();
  EXPECT_EQ(std::getenv("EIDER_HANDOVER"), nullptr) << "it is for nobody that is started here";
  ASSERT_TRUE(before.is_there());
  EXPECT_TRUE(before.take("c:3").empty());
  const std::vector<Descriptor> taken = before.take("a:1");
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(bytes_of(taken[0]), 1);
  EXPECT_EQ(bytes_of(taken[1]), 2);
  EXPECT_TRUE(before.take("a:1").empty());

  ASSERT_TRUE(pair_.here.send(HandoverWord::go, {}));
  before.tell_ready();
  EXPECT_TRUE(before.wait_for_go([] { return false; }));
  const auto ready = pair_.here.receive(seconds(5));
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->word, HandoverWord::ready);
  EXPECT_EQ(ready->text, std::to_string(::getpid()) + '\0' + "a:1");
}

TEST_F(PredecessorTest, that_is_gone_leaves_its_sockets_here) {
  ASSERT_TRUE(pair_.here.send(HandoverWord::all_sent, {}));
  name(pair_.there.release());
  Predecessor before = Predecessor::from_environment();
  pair_.here = HandoverChannel();
  before.tell_ready();
  EXPECT_TRUE(before.wait_for_go([] { return false; }));
}

TEST_F(PredecessorTest, keeps_its_sockets_where_this_process_gives_up) {
  ASSERT_TRUE(pair_.here.send(HandoverWord::all_sent, {}));
  name(pair_.there.release());
  Predecessor before = Predecessor::from_environment();
  before.tell_ready();
  EXPECT_FALSE(before.wait_for_go([] { return true; }));
}

TEST_F(PredecessorTest, that_says_half_is_none) {
  ASSERT_TRUE(pair_.here.send(HandoverWord::sockets, "a:1", std::array{pair_.here.fd()}));
  name(pair_.there.release());
  pair_.here = HandoverChannel();
  EXPECT_FALSE(Predecessor::from_environment().is_there());
}

TEST_F(PredecessorTest, is_not_read_off_a_descriptor_that_is_something_else) {
  const Descriptor file = file_of(1);
  name(file.get());
  EXPECT_FALSE(Predecessor::from_environment().is_there());
  EXPECT_FALSE(is_closed(file.get()));
  for (const char* text : {"", "x", "-1", "99999"}) {
    ::setenv("EIDER_HANDOVER", text, 1);
    EXPECT_FALSE(Predecessor::from_environment().is_there()) << text;
  }
}

struct Told {
  const char* variable;
  std::optional<unsigned> index;
};
constexpr Told kTold[] = {{"0", 0},
                          {"1023", 1023},
                          {"", std::nullopt},
                          {"-1", std::nullopt},
                          {"1x", std::nullopt},
                          {"x", std::nullopt},
                          {"99999999999", std::nullopt}};

// In separate processes, because the index is read only once.
TEST(WorkerIndex, is_what_the_environment_says_at_first_and_nobody_inherits) {
  for (const Told& one : kTold) {
    const auto ask = [&one] {
      ::setenv("EIDER_WORKER", one.variable, 1);
      const bool is_right = worker_index() == one.index && std::getenv("EIDER_WORKER") == nullptr &&
                            worker_index() == one.index;
      std::_Exit(is_right ? 0 : 1);
    };
    EXPECT_EXIT(ask(), ::testing::ExitedWithCode(0), "") << one.variable;
  }
}

TEST(WorkerIndex, is_none_where_nobody_said_one) {
  EXPECT_EQ(worker_index(), std::nullopt);
}

}  // namespace
}  // namespace eider::detail::server
