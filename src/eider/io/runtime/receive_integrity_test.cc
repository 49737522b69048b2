// No byte is lost, duplicated or reported to another stream, for any sizes, with streams that pause
// or close, and with few buffers. Longer: --gtest_repeat=50 --gtest_shuffle.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/test_checking_server.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_seeded_bytes.h"

namespace eider {
namespace {

using testing::CheckingServer;
using testing::LoopThread;
using testing::Peer;
using testing::SeededBytes;

std::size_t odd_size(std::mt19937& random) {
  constexpr std::array<std::size_t, 6> kUpTo{1, 16, 600, 5000, 70'000, SeededBytes::kPieceBytesMax};
  return 1 + random() % kUpTo.at(random() % kUpTo.size());
}

/// One client connection that sends its stream in pieces, never waiting for the server.
class Sender {
 public:
  Sender(const SocketAddress& to, const SeededBytes& bytes, std::uint32_t number)
      : peer_(to), bytes_(bytes), number_(number) {
    peer_.send(std::string_view(reinterpret_cast<const char*>(&number_), sizeof(number_)));
  }

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] bool is_refused() const { return is_refused_; }

  /// Returns false if the server has disconnected.
  bool send(std::size_t bytes) {
    const std::string_view piece = bytes_.piece(number_, position_, bytes);
    const ssize_t sent =
        ::send(peer_.fd(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    is_refused_ = sent < 0 && errno == EAGAIN;
    position_ += sent > 0 ? static_cast<std::uint64_t>(sent) : 0;
    return sent >= 0 || is_refused_;
  }

  /// Returns true if the server counted as many bytes as were sent.
  [[nodiscard]] bool finish() const {
    peer_.end();
    const std::string told = peer_.receive(sizeof(std::uint64_t));
    std::uint64_t count = 0;
    if (told.size() != sizeof(count)) {
      return false;
    }
    std::memcpy(&count, told.data(), sizeof(count));
    EXPECT_EQ(count, position_) << "of stream " << number_;
    return peer_.is_at_end();
  }

  void close() { peer_.close(); }
  void reset() { peer_.reset(); }
  void wait_for_room() const {
    pollfd waiting{.fd = peer_.fd(), .events = POLLOUT, .revents = 0};
    ::poll(&waiting, 1, 1);
  }

 private:
  Peer peer_;
  const SeededBytes& bytes_;
  std::uint32_t number_;
  std::uint64_t position_ = 0;
  bool is_refused_ = false;
};

/// Several streams that one thread sends, in turns; each stream that ends is replaced by another.
class Senders {
 public:
  Senders(const SocketAddress& to, const SeededBytes& bytes, unsigned thread, unsigned seed)
      : to_(to), bytes_(bytes), next_(thread << 20), random_(seed + thread) {}

  void run(std::size_t count, std::chrono::milliseconds time) {
    for (std::size_t index = 0; index < count; ++index) {
      senders_.push_back(another());
    }
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      step(senders_[random_() % senders_.size()]);
    }
    for (const auto& sender : senders_) {
      finish(*sender);
    }
  }

  /// Streams that the server did not read to their end.
  std::vector<std::uint32_t> cut_off;

 private:
  std::unique_ptr<Sender> another() { return std::make_unique<Sender>(to_, bytes_, next_++); }

  void step(std::unique_ptr<Sender>& sender) {
    if (!sender->send(odd_size(random_))) {
      cut_off.push_back(sender->number());
      sender = another();
    } else if (sender->is_refused()) {
      sender->wait_for_room();
    } else if (random_() % 256 == 0) {
      leave(*sender);
      sender = another();
    }
  }

  void leave(Sender& sender) {
    switch (random_() % 3) {
      case 0:
        return sender.close();
      case 1:
        return sender.reset();
      default:
        return finish(sender);
    }
  }

  void finish(const Sender& sender) {
    if (!sender.finish()) {
      cut_off.push_back(sender.number());
    }
  }

  const SocketAddress& to_;
  const SeededBytes& bytes_;
  std::uint32_t next_;
  std::mt19937 random_;
  std::vector<std::unique_ptr<Sender>> senders_;
};

class ReceiveIntegrityTest : public ::testing::TestWithParam<testing::LoopMaker> {
 protected:
  void SetUp() override {
    thread_ = std::make_unique<LoopThread>(GetParam());
    if (!thread_->is_running()) {
      GTEST_SKIP() << "this kernel lacks the backend";
    }
    thread_->call([&] {
      server_ = std::make_unique<CheckingServer>(thread_->loop(), bytes_, seed());
      ASSERT_TRUE(server_->listener.open(testing::local()));
      address_ = server_->listener.address().value();
    });
  }

  void TearDown() override {
    if (thread_->is_running()) {
      thread_->call([&] {
        EXPECT_TRUE(server_->wrong.empty())
            << server_->wrong.size() << " wrong, first: " << server_->wrong.front();
        server_.reset();
      });
    }
    thread_.reset();
  }

  /// Differs in each shuffled repetition.
  static unsigned seed() {
    return static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed());
  }

  const SeededBytes bytes_{seed()};
  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<CheckingServer> server_;
  std::optional<SocketAddress> address_;
};
INSTANTIATE_TEST_SUITE_P(Backends, ReceiveIntegrityTest, testing::all_backends(),
                         testing::backend_name);

TEST_P(ReceiveIntegrityTest, two_hundred_streams_that_come_pause_and_go_keep_their_bytes) {
  constexpr unsigned kThreads = 4;
  thread_->call([&] { server_->is_disturbing = true; });
  std::vector<std::unique_ptr<Senders>> groups;
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < kThreads; ++number) {
    groups.push_back(std::make_unique<Senders>(*address_, bytes_, number, seed()));
    threads.emplace_back(
        [&group = *groups.back()] { group.run(50, std::chrono::milliseconds(1200)); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  thread_->call([&] {
    EXPECT_GT(server_->bytes_checked, std::uint64_t{1} << 20);
    for (const auto& group : groups) {
      for (const std::uint32_t number : group->cut_off) {
        EXPECT_TRUE(server_->dropped.contains(number)) << "nobody dropped stream " << number;
      }
    }
  });
}

/// While the loop is blocked, many times more data arrives than all its buffers can contain.
TEST_P(ReceiveIntegrityTest, streams_that_outgrow_the_buffers_keep_their_bytes) {
  std::mt19937 random(seed());
  std::vector<std::unique_ptr<Sender>> senders;
  for (std::uint32_t number = 0; number < 200; ++number) {
    senders.push_back(std::make_unique<Sender>(*address_, bytes_, number));
  }
  for (int round = 0; round < 4; ++round) {
    thread_->call([&] {
      for (const auto& sender : senders) {
        for (int piece = 0; piece < 4; ++piece) {
          EXPECT_TRUE(sender->send(odd_size(random)));
        }
      }
    });
  }
  for (const auto& sender : senders) {
    EXPECT_TRUE(sender->finish()) << sender->number();
  }
}

}  // namespace
}  // namespace eider
