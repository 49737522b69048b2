#include "eider/io/ws/ws_inbox.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>

namespace eider::ws::detail {
namespace {

WsMessage text(std::string_view bytes) {
  return {ws::MessageType::text, bytes};
}

TEST(WsInbox, gives_messages_in_the_order_of_their_coming) {
  WsInbox inbox;
  inbox.add(text("one"));
  inbox.add({ws::MessageType::binary, {}});
  inbox.add(text("three"));
  EXPECT_EQ(inbox.messages(), 3U);
  EXPECT_EQ(inbox.bytes(), 8U);
  EXPECT_EQ(inbox.take()->bytes, "one");
  const auto second = inbox.take();
  EXPECT_EQ(second->bytes, "");
  EXPECT_FALSE(second->is_text());
  EXPECT_EQ(inbox.take()->bytes, "three");
  EXPECT_FALSE(inbox.take().has_value());
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.bytes(), 0U);
}

TEST(WsInbox, leaves_a_taken_message_where_it_is_whatever_arrives) {
  WsInbox inbox;
  inbox.add(text("first"));
  const auto first = inbox.take();
  for (int index = 0; index < 10000; ++index) {
    inbox.add(text("more and more"));
  }
  EXPECT_EQ(first->bytes, "first");
  EXPECT_EQ(inbox.messages(), 10000U);
}

TEST(WsInbox, is_as_new_when_it_was_cleared) {
  WsInbox inbox;
  inbox.add(text(std::string(100'000, 'x')));
  inbox.add(text("left"));
  (void)inbox.take();
  inbox.clear();
  EXPECT_TRUE(inbox.empty());
  EXPECT_FALSE(inbox.take().has_value());
  inbox.add(text("again"));
  EXPECT_EQ(inbox.take()->bytes, "again");
}

TEST(WsInbox, holds_what_a_queue_of_strings_would_hold) {
  std::mt19937 random(7);
  WsInbox inbox;
  std::deque<std::string> expected;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0) {
      expected.emplace_back(random() % 300, static_cast<char>('a' + step % 26));
      inbox.add(text(expected.back()));
    } else if (const auto message = inbox.take()) {
      ASSERT_EQ(message->bytes, expected.front()) << "step " << step;
      expected.pop_front();
    } else {
      ASSERT_TRUE(expected.empty());
    }
    ASSERT_EQ(inbox.messages(), expected.size());
  }
}

}  // namespace
}  // namespace eider::ws::detail
