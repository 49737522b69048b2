#include "eider/data/servers/message_queue.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/support/test_loop.h"

namespace eider::detail::servers {
namespace {

struct Text {
  std::string text{};
  bool is_gap = false;
  std::size_t missed = 0;
};

std::size_t bytes_of_text(const Text& text) noexcept {
  return text.text.size();
}

using Texts = MessageQueue<Text, std::runtime_error, bytes_of_text>;

/// Returns the next `count` messages: "a", "gap of 2", "error: no".
Task<std::string> received(Texts& texts, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    try {
      const Text one = co_await texts.receive();
      all += one.is_gap ? "gap of " + std::to_string(one.missed) : one.text;
    } catch (const std::runtime_error& error) {
      all += std::string("error: ") + error.what();
    }
    all += "; ";
  }
  co_return all;
}

std::string receive(Texts& texts, int count) {
  TestLoop on;
  return on.run(received(texts, count));
}

TEST(MessageQueues, count_in_a_gap_what_there_is_no_room_for) {
  Texts texts(2, 100);
  for (const char* text : {"a", "b", "c", "d"}) {
    texts.put({text});
  }
  EXPECT_EQ(receive(texts, 1), "a; ");
  texts.put({"e"});
  EXPECT_EQ(receive(texts, 2), "b; gap of 3; ");
  texts.put({"f"});
  EXPECT_EQ(receive(texts, 1), "f; ");
}

TEST(MessageQueues, count_bytes_until_they_are_received) {
  Texts texts(10, 5);
  texts.put({"abc"});
  texts.put({"def"});
  texts.put({"gh"});
  EXPECT_EQ(receive(texts, 3), "abc; gap of 1; gh; ");
  texts.put({"12345"});
  texts.put({"6"});
  EXPECT_EQ(receive(texts, 2), "12345; gap of 1; ");
}

TEST(MessageQueues, have_one_gap_for_several_losses_without_a_message_between_them) {
  Texts texts(1, 100);
  texts.put_gap();
  texts.put_gap();
  texts.put({"a"});
  texts.put_gap();
  EXPECT_EQ(receive(texts, 3), "gap of 0; gap of 1; gap of 0; ");
}

TEST(MessageQueues, throw_a_refusal_once_after_the_messages_that_wait) {
  Texts texts(10, 100);
  texts.put_refusal(std::runtime_error("no"));
  texts.put({"a"});
  EXPECT_EQ(receive(texts, 2), "a; error: no; ");
  texts.put({"b"});
  EXPECT_EQ(receive(texts, 1), "b; ");
}

}  // namespace
}  // namespace eider::detail::servers
