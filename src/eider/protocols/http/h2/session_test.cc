#include "eider/protocols/http/h2/session.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "eider/protocols/http/h2/test_frames.h"

namespace eider::h2 {
namespace {

using test::frame;
using test::get;
using test::kEndHeaders;
using test::kEndStream;
using test::literal;
using test::Responder;
using test::Type;

std::string post(std::uint32_t stream, std::string_view more = {}) {
  return frame(Type::headers, kEndHeaders, stream,
               literal(":method", "POST") + literal(":scheme", "http") + literal(":path", "/p") +
                   literal(":authority", "h") + std::string(more));
}

/// Requests with content, in two frames, with trailers, and one that is rejected.
std::string conversation() {
  return test::begin() + get(1, "/one") + post(3) + frame(Type::data, 0, 3, "con") +
         frame(Type::ping, 0, 0, "12345678") + frame(Type::data, kEndStream, 3, "tent") +
         frame(Type::headers, 0, 5, test::get_block("/five").substr(0, 7)) +
         frame(Type::continuation, kEndHeaders, 5, test::get_block("/five").substr(7)) +
         frame(Type::data, 0, 5, "body") +
         frame(Type::headers, kEndHeaders | kEndStream, 5, literal("checked", "yes")) +
         get(7, "/a#b");
}

constexpr std::string_view kConversationEvents =
    "1 head /one\n1 closed 0\n3 head /p\n3 content content\n3 closed 0\n5 head /five\n"
    "5 content body trailers\n5 closed 0\n7 refused 400\n7 closed 0\n";

/// Sorts by stream, which is the first character; lines of one stream keep their order.
std::string sorted_lines(std::string_view text) {
  std::map<char, std::string> by_stream;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    by_stream[text[0]].append(text.substr(0, end));
    text.remove_prefix(end);
  }
  std::string all;
  for (const auto& [stream, lines] : by_stream) {
    all += lines;
  }
  return all;
}

TEST(H2Session, tells_of_requests_and_sends_their_responses) {
  Responder user;
  user.receive(conversation());
  EXPECT_EQ(sorted_lines(user.events), kConversationEvents);
  EXPECT_TRUE(user.has_sent(Type::settings, 0));
  EXPECT_TRUE(user.has_sent(Type::headers, 1));
  EXPECT_TRUE(user.has_sent(Type::data, 5));
  EXPECT_EQ(user.open_count, 0U);
  EXPECT_FALSE(user.session.is_over());
}

TEST(H2Session, reads_the_same_however_it_is_cut) {
  const std::string all = conversation();
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Responder user;
    user.receive(std::string_view(all).substr(0, cut));
    user.receive(std::string_view(all).substr(cut));
    ASSERT_EQ(sorted_lines(user.events), kConversationEvents) << cut;
  }
  Responder user;
  for (const char byte : all) {
    user.receive({&byte, 1});
  }
  EXPECT_EQ(sorted_lines(user.events), kConversationEvents);
}

/// RFC 9113, 8.1.1: an invalid request ends its stream, and the others continue.
TEST(H2Session, resets_streams_whose_requests_are_malformed) {
  const std::string length = literal("content-length", "4");
  const std::string trailers = literal("checked", "yes");
  const auto data = [](std::string_view text) { return frame(Type::data, kEndStream, 1, text); };
  const auto end = [](const std::string& block, std::uint8_t flags = kEndStream) {
    return frame(Type::headers, flags | kEndHeaders, 1, block);
  };
  for (const std::string& wrong : {
           frame(Type::headers, kEndHeaders | kEndStream, 1, literal(":method", "GET")),
           post(1, literal("Upper", "x")),
           post(1, literal("x", "a\r\nb")),
           post(1, literal("transfer-encoding", "chunked")),
           post(1, length) + data("con"),
           post(1, length) + data("conte"),
           post(1, length) + frame(Type::data, 0, 1, "conte") + data("nt"),
           post(1, length) + frame(Type::data, 0, 1, "con") + end(trailers),
           post(1) + end(trailers, 0),
           post(1) + end(literal(":path", "/")),
           post(1) + end(literal("Upper", "x")),
           post(1) + end(literal("connection", "close")),
       }) {
    Responder user;
    user.receive(test::begin() + wrong + get(3));
    EXPECT_FALSE(user.session.is_over());
    EXPECT_TRUE(user.has_sent(Type::rst_stream, 1));
    EXPECT_FALSE(user.has_sent(Type::headers, 1)) << "it was answered";
    EXPECT_NE(user.events.find("1 closed 1\n"), std::string::npos) << user.events;
    EXPECT_EQ(user.events.find("content"), std::string::npos) << user.events;
    EXPECT_NE(user.events.find("3 closed 0\n"), std::string::npos) << user.events;
    EXPECT_EQ(user.open_count, 0U);
  }
}

TEST(H2Session, takes_content_of_the_length_that_was_announced) {
  Responder user;
  user.receive(test::begin() + post(1, literal("content-length", "4")) +
               frame(Type::data, 0, 1, "co") + frame(Type::data, 0, 1, "nt") +
               frame(Type::headers, kEndHeaders | kEndStream, 1, literal("checked", "yes")));
  EXPECT_EQ(user.events, "1 head /p\n1 content cont trailers\n1 closed 0\n");
}

TEST(H2Session, sends_the_more_urgent_of_two_responses_first) {
  for (const bool is_first_urgent : {true, false}) {
    Responder user;
    const auto asked = [](std::uint32_t stream, std::string_view priority) {
      return frame(Type::headers, kEndHeaders | kEndStream, stream,
                   test::get_block() + literal("priority", priority));
    };
    user.receive(test::begin() + asked(1, is_first_urgent ? "u=0" : "u=6") + asked(3, "u=3"));
    const std::string_view first = is_first_urgent ? "1 closed" : "3 closed";
    const std::string_view second = is_first_urgent ? "3 closed" : "1 closed";
    EXPECT_LT(user.events.find(first), user.events.find(second)) << user.events;
  }
}

TEST(H2Session, needs_the_preface) {
  Responder user;
  user.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(user.session.is_over());
}

TEST(H2Session, knows_what_became_of_closed_streams) {
  for (const auto& [later, is_fine] : {
           std::pair(frame(Type::data, 0, 1, "x"), false),  // the client has ended the stream
           std::pair(get(1), false),                        // the same
           std::pair(get(3), false),                        // never opened, and too late
           std::pair(frame(Type::window_update, 0, 1, test::word(1)), true),
           std::pair(frame(Type::rst_stream, 0, 1, test::word(8)), true),
           std::pair(frame(Type::priority, 0, 1, test::word(0) + "\x0f"), true),
           std::pair(get(7), true),
       }) {
    Responder user;
    user.receive(test::begin() + get(1) + get(5));
    user.receive(later);
    EXPECT_EQ(user.session.is_over(), !is_fine) << static_cast<int>(later[3]);
  }
}

TEST(H2Session, knows_that_a_stream_was_reset_in_the_breath_that_began_it) {
  const std::string reset = frame(Type::rst_stream, 0, 1, test::word(8));
  for (const std::string& later : {frame(Type::data, 0, 1, "x"), post(1)}) {
    for (const bool is_one_breath : {true, false}) {
      Responder user;
      user.receive(test::begin());
      user.receive(is_one_breath ? post(1) + reset : post(1));
      user.receive(is_one_breath ? std::string() : reset);
      ASSERT_FALSE(user.session.is_over());
      user.receive(later);
      EXPECT_TRUE(user.session.is_over());
      EXPECT_TRUE(user.has_sent(Type::goaway, 0));
    }
  }
}

TEST(H2Session, ignores_what_was_on_its_way_to_a_stream_that_it_has_reset) {
  Responder user;
  user.receive(test::begin() + post(1));
  user.session.reset(1, ErrorCode::cancel);
  user.receive({});
  user.receive(frame(Type::data, 0, 1, "x") + frame(Type::data, kEndStream, 1, "y") + get(3));
  EXPECT_FALSE(user.session.is_over());
  EXPECT_NE(user.events.find("3 closed 0"), std::string::npos);
}

TEST(H2Session, ends_connections_with_priorities_that_are_none) {
  for (const std::string& wrong : {frame(Type::priority, 0, 0, test::word(1) + "\x0f"),
                                   frame(Type::priority, 0, 3, test::word(3) + "\x0f")}) {
    Responder user;
    user.receive(test::begin() + wrong);
    EXPECT_TRUE(user.session.is_over());
    EXPECT_TRUE(user.has_sent(Type::goaway, 0));
  }
}

TEST(H2Session, ends_floods_of_every_kind) {
  const std::string open = post(1);
  for (const std::string& cheap :
       {frame(Type::ping, 0, 0, "12345678"), frame(Type::settings, 0, 0),
        frame(Type::priority, 0, 3, test::word(0) + "\x0f"), frame(Type::data, 0, 1),
        frame(Type::data, 8, 1, std::string("\x03\0\0\0", 4)),
        frame(Type::window_update, 0, 0, test::word(1)), frame(static_cast<Type>(0x70), 0, 0),
        frame(Type::rst_stream, 0, 1, test::word(8))}) {
    Responder user;
    user.receive(test::begin() + open);
    int count = 0;
    while (!user.session.is_over() && count < 5000) {
      user.receive(cheap);
      ++count;
    }
    EXPECT_LT(count, 1200) << static_cast<int>(cheap[3]);
    EXPECT_GT(count, 20) << static_cast<int>(cheap[3]);
  }
}

TEST(H2Session, lets_a_client_go_on_that_sends_as_much_over_time) {
  Responder user;
  user.receive(test::begin());
  for (std::uint64_t second = 1; second < 500; ++second) {
    user.receive(frame(Type::ping, 0, 0, "12345678"), second * 1000);
  }
  EXPECT_FALSE(user.session.is_over());
}

TEST(H2Session, takes_no_more_streams_than_were_allowed) {
  Responder user({.streams_max = 2});
  std::string all = test::begin();
  for (std::uint32_t stream = 1; stream < 10; stream += 2) {
    all += post(stream);
  }
  user.receive(all);
  EXPECT_EQ(user.open_count, 2U);
  EXPECT_TRUE(user.has_sent(Type::rst_stream, 5));
  EXPECT_FALSE(user.has_sent(Type::rst_stream, 3));
}

std::string gets(std::uint32_t count) {
  std::string all;
  for (std::uint32_t index = 0; index < count; ++index) {
    all += get(2 * index + 1);
  }
  return all;
}

TEST(H2Session, hands_many_requests_on_in_parts) {
  const std::string urgent = frame(Type::headers, kEndHeaders | kEndStream, 1,
                                   test::get_block() + literal("priority", "u=1"));
  const std::string update = frame(static_cast<Type>(0x10), 0, 0, test::word(1) + "u=1");
  for (const auto& [first, then, parts] : {
           std::tuple(std::string(), gets(16), 0),
           std::tuple(std::string(), gets(17), 1),
           std::tuple(std::string(), gets(33), 2),
           std::tuple(std::string(), gets(100), 6),
           std::tuple(std::string(), gets(101), 0),  // more than are allowed to be open at once
           std::tuple(std::string(), gets(40) + frame(Type::rst_stream, 0, 79, test::word(8)), 0),
           std::tuple(get(1), gets(40).substr(get(1).size()), 2),
           std::tuple(urgent, gets(40).substr(get(1).size()), 0),
           std::tuple(update, gets(40), 0),
       }) {
    Responder user;
    user.receive(test::begin() + first);
    user.receive(then);
    EXPECT_EQ(user.parts, parts);
    EXPECT_FALSE(user.session.is_over());
  }
}

TEST(H2Session, answers_the_same_in_parts_however_they_are_cut) {
  constexpr std::uint32_t kCount = 40;
  const std::string all = test::begin() + gets(kCount);
  Responder whole;
  whole.receive(all);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Responder user;
    user.receive(std::string_view(all).substr(0, cut));
    user.receive(std::string_view(all).substr(cut));
    ASSERT_EQ(user.events.size(), whole.events.size()) << cut;
    ASSERT_TRUE(user.has_sent(Type::data, 2 * kCount - 1)) << cut;
    ASSERT_EQ(user.open_count, 0U) << cut;
  }
}

TEST(H2Session, reads_no_further_when_a_part_ends_it) {
  Responder user;
  user.ends_at_part = true;
  user.receive(test::begin() + gets(40));
  EXPECT_EQ(user.parts, 1);
  EXPECT_NE(user.events.find("31 head /"), std::string::npos);
  EXPECT_EQ(user.events.find("33 head /"), std::string::npos);
  EXPECT_TRUE(user.session.is_over());
}

TEST(H2Session, announces_its_end_and_serves_until_then) {
  Responder user;
  user.receive(test::begin());
  user.session.announce_shutdown();
  user.receive(get(1));
  EXPECT_TRUE(user.has_sent(Type::goaway, 0));
  EXPECT_TRUE(user.has_sent(Type::headers, 1));
  EXPECT_FALSE(user.session.is_over());
  user.session.shut_down();
  user.receive({});
  EXPECT_TRUE(user.session.is_over());
}

TEST(H2Session, answers_long_lists_of_fields_without_keeping_them) {
  Responder user({.head = {.head_bytes_max = 1000}});
  std::string fields = test::get_block();
  for (int count = 0; count < 30; ++count) {
    fields += literal("x-field", "value");
  }
  user.receive(test::begin() + frame(Type::headers, kEndHeaders | kEndStream, 1, fields));
  EXPECT_NE(user.events.find("1 refused 431"), std::string::npos);
  for (int count = 0; count < 90; ++count) {
    fields += literal("x-field", "value");
  }
  user.receive(frame(Type::headers, kEndHeaders | kEndStream, 3, fields));
  EXPECT_TRUE(user.session.is_over());
}

}  // namespace
}  // namespace eider::h2
