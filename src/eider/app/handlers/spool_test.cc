#include "eider/app/handlers/spool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "eider/app/handlers/test_inbox.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

class Spool : public ::testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    loop.call([&] { task.start(); });
    return task.take();
  }
  SpooledBody spooled(std::string_view content, std::size_t piece_bytes,
                      std::size_t memory_bytes_max, std::uint64_t bytes_max = 10'000'000) {
    detail::app::TestInbox inbox;
    inbox.give(content, piece_bytes);
    return run(spool(BodyStream(inbox), memory_bytes_max, bytes_max, directory));
  }
  int status(std::string_view content, std::size_t memory_bytes_max, std::uint64_t bytes_max) {
    try {
      (void)spooled(content, 3, memory_bytes_max, bytes_max);
    } catch (const Failure& failure) {
      return failure.error().status();
    }
    return 200;
  }
  bool is_directory_empty() const { return std::filesystem::is_empty(directory); }

  SimKernel kernel;
  SimLoop loop{kernel};
  const TempDirectory temporary;
  const std::string directory = temporary.path();
};

std::string numbers(int count) {
  std::string text;
  for (int number = 0; number < count; ++number) {
    text += std::to_string(number) + ",";
  }
  return text;
}

TEST_F(Spool, keeps_in_memory_what_fits) {
  for (const std::string_view content : {"", "a", "0123456789"}) {
    const SpooledBody body = spooled(content, 3, 10);
    EXPECT_TRUE(body.is_in_memory());
    EXPECT_EQ(body.bytes(), content);
    EXPECT_EQ(body.size(), content.size());
  }
}

TEST_F(Spool, writes_to_a_file_what_does_not) {
  const std::string content = numbers(200'000);
  for (const std::size_t piece_bytes : {std::size_t{777}, std::size_t{65'536}, content.size()}) {
    const SpooledBody body = spooled(content, piece_bytes, 1000);
    EXPECT_FALSE(body.is_in_memory());
    EXPECT_EQ(body.size(), content.size());
    EXPECT_EQ(run(body.read(0, content.size() + 1)), content);
  }
  EXPECT_TRUE(is_directory_empty()) << "the file has no name, and is gone";
}

TEST_F(Spool, one_byte_decides) {
  EXPECT_TRUE(spooled("0123456789", 10, 10).is_in_memory());
  EXPECT_FALSE(spooled("0123456789", 10, 9).is_in_memory());
  EXPECT_FALSE(spooled("0", 1, 0).is_in_memory());
}

TEST_F(Spool, is_read_in_pieces_wherever_it_is) {
  for (const std::size_t memory_bytes_max : {10UL, 9UL}) {
    const SpooledBody body = spooled("0123456789", 4, memory_bytes_max);
    EXPECT_EQ(run(body.read(2, 3)), "234");
    EXPECT_EQ(run(body.read(8, 3)), "89");
    EXPECT_EQ(run(body.read(10, 3)), "");
    EXPECT_EQ(run(body.read(11, 3)), "");
  }
}

TEST_F(Spool, refuses_more_than_it_is_told) {
  EXPECT_EQ(status("0123456789", 5, 10), 200);
  EXPECT_EQ(status("0123456789", 5, 9), 413);
  EXPECT_EQ(status("0123456789", 20, 9), 413);
  EXPECT_EQ(status("0123456789", 5, 0), 413);
  EXPECT_EQ(status("", 0, 0), 200);
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(Spool, refuses_at_once_what_says_that_it_is_larger) {
  detail::app::TestInbox inbox;
  inbox.push("01234");
  inbox.say_length(10);
  auto task = spool(BodyStream(inbox), 5, 9, directory);
  loop.call([&] { task.start(); });
  EXPECT_THROW(task.take(), Failure);
  EXPECT_EQ(inbox.pieces_left(), 1U) << "unread";
}

TEST_F(Spool, leaves_nothing_when_the_client_leaves) {
  detail::app::TestInbox inbox;
  inbox.push(numbers(100'000));
  auto task = spool(BodyStream(inbox), 5, 10'000'000, directory);
  loop.call([&] { task.start(); });
  EXPECT_FALSE(task.is_done());
  loop.call([&] { task = {}; });
  EXPECT_TRUE(is_directory_empty());
}

}  // namespace
}  // namespace eider
