#include "eider/protocols/http/h2/client_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "eider/protocols/http/h2/test_asker.h"

namespace eider::h2 {
namespace {

using test::Asker;
using test::frame;
using test::greeting;
using test::kEndHeaders;
using test::kEndStream;
using test::literal;
using test::reply;
using test::setting;
using test::Type;
using test::word;

/// The calls for two requests, to which a server responds with these bytes.
std::string told(std::string_view bytes) {
  Asker user;
  user.ask();
  user.ask();
  user.receive(greeting() + std::string(bytes));
  return user.events;
}

std::string transcript() {
  return greeting() + reply(1, 0, "103", literal("link", "a")) +
         reply(1, 0, "200", literal("content-length", "7")) + frame(Type::data, 0, 1, "con") +
         reply(3, 0, "404", literal("x", "y")) + frame(Type::ping, 0, 0, "12345678") +
         frame(Type::data, kEndStream, 1, "tent") + frame(Type::data, 0, 3, "none") +
         frame(Type::headers, kEndHeaders | kEndStream, 3, literal("checked", "yes"));
}

constexpr std::string_view kEvents =
    "1 interim 103\n1 head 200 content-length=7\n3 head 404 x=y\n1 content content\n"
    "1 closed whole\n3 content none trailers\n3 closed whole\n";

TEST(H2ClientSession, asks_and_tells_of_responses_however_they_are_cut) {
  const std::string all = transcript();
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    Asker user;
    user.ask();
    user.ask();
    user.receive(std::string_view(all).substr(0, cut));
    user.receive(std::string_view(all).substr(cut));
    ASSERT_EQ(user.events, kEvents) << cut;
    ASSERT_TRUE(user.sent.starts_with(kPreface));
    ASSERT_FALSE(user.session.is_doomed());
    ASSERT_EQ(user.session.open_streams(), 0U);
  }
}

// Objects of the service, such as a pool of connections, end after the threads of the event loops.
TEST(H2ClientSession, may_end_behind_the_thread_that_it_was_used_on) {
  std::unique_ptr<Asker> user;
  std::thread([&user] {
    user = std::make_unique<Asker>();
    user->ask();
    user->receive(greeting() + reply(1));
  }).join();
  EXPECT_TRUE(user->events.contains("1 head 200")) << user->events;
  user.reset();
  Asker another;  // uses memory again, to check that the free lists are intact
  another.ask();
  EXPECT_FALSE(another.session.is_doomed());
}

// Otherwise the contents of another request of the connection could be guessed from how short this
// one is (RFC 7541, section 7.1).
TEST(H2ClientSession, keeps_all_that_may_be_secret_out_of_the_table) {
  const std::string value(100, '~');
  const auto bytes_of_second = [&](std::string_view name) {
    Asker user;
    user.ask({}, "GET", {{name, value}});
    const std::size_t before = user.sent.size();
    user.ask({}, "GET", {{name, value}});
    return user.sent.size() - before;
  };
  for (const char* name : {"authorization", "proxy-authorization", "cookie", "x-api-key", "x"}) {
    EXPECT_GT(bytes_of_second(name), value.size()) << name;
  }
  for (const char* name : {"accept", "user-agent", "content-type"}) {
    EXPECT_LT(bytes_of_second(name), 20U) << name;
  }
}

TEST(H2ClientSession, sends_content_within_the_window_and_goes_on_when_it_opens) {
  Asker user;
  const StreamId id = user.ask(std::string(100000, 'x'), "POST");
  user.receive(greeting());
  EXPECT_LT(user.sent.size(), 66000U);
  user.receive(frame(Type::window_update, 0, 0, word(100000)));
  EXPECT_LT(user.sent.size(), 66000U) << "the stream's own is full";
  user.receive(frame(Type::window_update, 0, static_cast<std::uint32_t>(id), word(100000)));
  EXPECT_GT(user.sent.size(), 100000U);
}

TEST(H2ClientSession, refuses_answers_that_are_none) {
  for (const std::string& wrong :
       {frame(Type::headers, kEndHeaders, 1, literal("a", "b")),  // no status
        reply(1, 0, "99"),
        reply(1, 0, "600"),
        reply(1, 0, "20"),
        reply(1, 0, "2000"),
        reply(1, 0, "2x0"),
        reply(1, 0, "101"),
        reply(1, kEndStream, "100"),
        reply(1, 0, "200", literal(":status", "200")),
        reply(1, 0, "200", literal(":path", "/")),
        frame(Type::headers, kEndHeaders, 1, literal("a", "b") + literal(":status", "200")),
        reply(1, 0, "200", literal("A", "b")),
        reply(1, 0, "200", literal("a b", "c")),
        reply(1, 0, "200", literal("", "c")),
        reply(1, 0, "200", literal("a", "b\r\nc: d")),
        reply(1, 0, "200", literal("a", std::string_view("b\0c", 3))),
        reply(1, 0, "200", literal("a", " b")),
        reply(1, 0, "200", literal("a", "b ")),
        reply(1, 0, "200", literal("connection", "close")),
        reply(1, 0, "200", literal("transfer-encoding", "chunked")),
        reply(1, 0, "200", literal("keep-alive", "a")),
        reply(1, 0, "200", literal("upgrade", "a")),
        reply(1, 0, "200", literal("proxy-connection", "a")),
        reply(1, 0, "200", literal("content-length", "-1")),
        reply(1, 0, "200", literal("content-length", "1a")),
        reply(1, 0, "200", literal("content-length", "99999999999999999999")),
        reply(1, 0, "200", literal("content-length", "1") + literal("content-length", "1")),
        reply(1, kEndStream, "204", literal("content-length", "1")),
        reply(1, kEndStream, "200", literal("content-length", "1"))}) {
    const std::string events = told(wrong + reply(3));
    EXPECT_TRUE(events.contains("1 closed malformed")) << wrong << "\n" << events;
    EXPECT_FALSE(events.contains("1 head")) << wrong << "\n" << events;
    EXPECT_TRUE(events.contains("3 closed whole")) << "the other goes on: " << wrong << events;
  }
}

TEST(H2ClientSession, refuses_content_and_trailers_that_do_not_fit) {
  const std::string five = reply(1, 0, "200", literal("content-length", "5"));
  for (const std::string& wrong :
       {five + frame(Type::data, kEndStream, 1, "four"), five + frame(Type::data, 0, 1, "sixsix"),
        reply(1, 0, "204") + frame(Type::data, kEndStream, 1, "x"),
        reply(1, 0, "304") + frame(Type::data, kEndStream, 1, "x"),
        reply(1, 0) + reply(1, kEndStream, "200"),
        reply(1, 0) + frame(Type::headers, kEndHeaders, 1, literal("a", "b")),
        reply(1, 0) + frame(Type::headers, kEndHeaders | kEndStream, 1, literal("A", "b"))}) {
    const std::string events = told(wrong + reply(3));
    EXPECT_TRUE(events.contains("1 closed malformed")) << wrong << "\n" << events;
    EXPECT_FALSE(events.contains("1 content")) << wrong << "\n" << events;
    EXPECT_TRUE(events.contains("3 closed whole")) << wrong << events;
  }
}

TEST(H2ClientSession, knows_answers_without_content) {
  Asker user;
  user.ask({}, "HEAD");
  user.receive(greeting() + reply(1, kEndStream, "200", literal("content-length", "500")));
  EXPECT_EQ(user.events, "1 head 200 content-length=500\n1 content \n1 closed whole\n");
}

TEST(H2ClientSession, bounds_the_list_of_fields) {
  Asker user({.reply = {.head_bytes_max = 1000}});
  user.ask();
  user.ask();
  std::string fields = literal(":status", "200");
  for (int count = 0; count < 30; ++count) {
    fields += literal("x-field", "value");
  }
  user.receive(greeting() + frame(Type::headers, kEndHeaders, 1, fields));
  EXPECT_EQ(user.events, "1 closed too_large\n");
  EXPECT_FALSE(user.session.is_doomed());
  for (int count = 0; count < 90; ++count) {
    fields += literal("x-field", "value");
  }
  user.receive(frame(Type::headers, kEndHeaders, 3, fields));
  EXPECT_TRUE(user.session.is_doomed());
}

TEST(H2ClientSession, ends_floods_of_every_kind) {
  for (const std::string& cheap :
       {frame(Type::ping, 0, 0, "12345678"), frame(Type::settings, 0, 0), frame(Type::data, 0, 1),
        frame(Type::priority, 0, 3, word(0) + "\x0f"), frame(Type::window_update, 0, 0, word(1)),
        frame(static_cast<Type>(0x70), 0, 0), frame(Type::rst_stream, 0, 1, word(8))}) {
    Asker user;
    user.ask();
    user.receive(greeting() + reply(1, 0));
    int count = 0;
    while (!user.session.is_doomed() && count < 5000) {
      user.receive(cheap);
      ++count;
    }
    EXPECT_LT(count, 1200) << static_cast<int>(cheap[3]);
    EXPECT_GT(count, 20) << static_cast<int>(cheap[3]);
    EXPECT_TRUE(user.has_sent(Type::goaway, 0)) << static_cast<int>(cheap[3]);
  }
}

TEST(H2ClientSession, ends_a_head_of_continuations_without_an_end) {
  Asker user;
  user.ask();
  user.receive(greeting() + frame(Type::headers, 0, 1, literal(":status", "200")));
  int count = 0;
  while (!user.session.is_doomed() && count < 100) {
    user.receive(frame(Type::continuation, 0, 1, literal("a", "b")));
    ++count;
  }
  EXPECT_LT(count, 12);
}

TEST(H2ClientSession, ends_a_list_that_unpacks_to_much_more) {
  Asker user;
  user.ask();
  const std::string large =
      "\x40\x01"
      "a\x7f\xe1\x0f" +
      std::string(2144, 'v');  // stored in the table
  std::string block = literal(":status", "200") + large;
  block += std::string(10000, '\xbe');  // and referred to again and again
  user.receive(greeting() + frame(Type::headers, kEndHeaders, 1, block));
  EXPECT_TRUE(user.session.is_doomed());
  EXPECT_EQ(user.session.flaw(), "The headers of a response do not end.");
}

TEST(H2ClientSession, takes_no_pushes_and_no_streams_of_the_servers) {
  for (const std::string& wrong :
       {frame(Type::push_promise, kEndHeaders, 1, word(2) + test::get_block()), reply(2), reply(5),
        frame(Type::data, 0, 7, "x")}) {
    Asker user;
    user.ask();
    user.receive(greeting() + wrong);
    EXPECT_TRUE(user.session.is_doomed()) << static_cast<int>(wrong[3]);
    EXPECT_TRUE(user.has_sent(Type::goaway, 0));
  }
}

TEST(H2ClientSession, ends_a_server_that_does_not_speak_http_2) {
  for (const std::string& wrong :
       {std::string("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), reply(1),
        std::string("garbage!!")}) {
    Asker user;
    user.ask();
    user.receive(wrong);
    EXPECT_TRUE(user.session.is_doomed()) << wrong;
  }
}

TEST(H2ClientSession, ends_a_server_that_sends_more_than_its_window) {
  Asker user({.stream_window_bytes = 65535, .connection_window_bytes = 1024 * 1024});
  user.consumes = false;
  user.ask();
  user.receive(greeting() + reply(1, 0));
  int frames = 0;
  while (!user.has_sent(Type::rst_stream, 1) && !user.session.is_doomed() && frames < 100) {
    user.receive(frame(Type::data, 0, 1, std::string(16384, 'x')));
    ++frames;
  }
  EXPECT_EQ(frames, 4) << "three and a little fit";
}

TEST(H2ClientSession, opens_windows_again_as_content_is_taken) {
  Asker user({.stream_window_bytes = 65535, .connection_window_bytes = 65535});
  user.ask();
  user.receive(greeting() + reply(1, 0));
  for (int frames = 0; frames < 100; ++frames) {
    user.receive(frame(Type::data, 0, 1, std::string(16384, 'x')));
  }
  EXPECT_FALSE(user.session.is_doomed());
  EXPECT_TRUE(user.has_sent(Type::window_update, 1));
  EXPECT_TRUE(user.has_sent(Type::window_update, 0));
}

TEST(H2ClientSession, tells_which_requests_nobody_has_looked_at) {
  Asker user;
  user.receive(greeting());
  user.ask();
  user.ask();
  user.ask();
  user.receive(frame(Type::rst_stream, 0, 1, word(7)) +
               frame(Type::goaway, 0, 0, word(3) + word(0)));
  EXPECT_EQ(user.events, "1 closed refused\n5 closed unseen\n");
  EXPECT_EQ(user.session.room(), 0U);
  EXPECT_FALSE(user.session.takes_requests());
  EXPECT_FALSE(user.session.is_over()) << "the second goes on";
  user.receive(reply(3));
  EXPECT_TRUE(user.events.ends_with("3 content \n3 closed whole\n"));
  EXPECT_TRUE(user.session.is_over());
}

TEST(H2ClientSession, had_not_been_told_how_many_requests_the_server_takes) {
  Asker user;
  user.ask();
  user.receive(greeting(setting(test::kMaxConcurrentStreams, 1)));
  user.receive(frame(Type::rst_stream, 0, 1, word(7)));
  EXPECT_EQ(user.events, "1 closed unseen\n");
}

TEST(H2ClientSession, does_not_believe_a_refusal_behind_a_response) {
  EXPECT_EQ(told(reply(1, 0) + frame(Type::rst_stream, 0, 1, word(7))),
            "1 head 200\n1 closed reset\n");
}

TEST(H2ClientSession, tells_an_early_response_from_one_that_was_cut) {
  Asker user;
  user.ask(std::string(100000, 'x'), "POST");
  user.receive(greeting() + reply(1, kEndStream, "413") + frame(Type::rst_stream, 0, 1, word(0)));
  EXPECT_EQ(user.events, "1 head 413\n1 content \n1 closed whole\n");
}

TEST(H2ClientSession, begins_no_more_requests_than_the_server_allows) {
  Asker user({.streams_max = 5});
  EXPECT_EQ(user.session.room(), 5U);
  user.receive(greeting(setting(test::kMaxConcurrentStreams, 2)));
  EXPECT_EQ(user.session.room(), 2U);
  user.ask();
  user.ask();
  EXPECT_EQ(user.session.room(), 0U);
  user.receive(reply(1));
  EXPECT_EQ(user.session.room(), 1U);
  user.receive(frame(Type::settings, 0, 0, setting(test::kMaxConcurrentStreams, 1000)));
  EXPECT_EQ(user.session.room(), 4U);
}

TEST(H2ClientSession, resets_streams_and_ignores_what_was_on_its_way) {
  Asker user;
  user.ask(std::string(100000, 'x'), "POST");
  user.ask();
  user.session.reset(1, ErrorCode::cancel);
  user.send();
  EXPECT_TRUE(user.has_sent(Type::rst_stream, 1));
  user.receive(greeting() + reply(1, 0) + frame(Type::data, 0, 1, "late") + reply(3));
  EXPECT_EQ(user.events, "3 head 200\n3 content \n3 closed whole\n");
  EXPECT_FALSE(user.session.is_doomed());
}

}  // namespace
}  // namespace eider::h2
