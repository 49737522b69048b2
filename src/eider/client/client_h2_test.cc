// The client over HTTP/2: one connection for many requests, with the same behavior as over
// HTTP/1.1.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/h2_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

using Streams = std::vector<std::uint32_t>;

ClientOptions with(auto change) {
  ClientOptions options;
  change(options);
  return options;
}

TEST(ClientH2, asks_and_gives_the_response) {
  H2Line line;
  SentRequest& asked = line.ask(Method::get, "http://Example.com:8080/a%20b?c=d#e",
                                [](ClientRequest& request) { request.header("X-Note", "e"); });
  const auto frames = line.frames();
  ASSERT_TRUE(H2Line::has(frames, Type::settings, 0));
  ASSERT_TRUE(H2Line::has(frames, Type::headers, 1));
  line.say(greeting() + reply(1, 0, "200", literal("x-a", "b") + literal("content-length", "5")) +
           frame(Type::data, kEndStream, 1, "hello"));
  ASSERT_TRUE(asked.is_response());
  EXPECT_EQ(asked.text(), "200 hello");
  EXPECT_EQ(asked.response().header("X-A"), "b");
  EXPECT_EQ(asked.response().url(), "http://example.com:8080/a%20b?c=d");
  EXPECT_FALSE(line.peers[0].is_closed());
}

TEST(ClientH2, reads_a_response_however_it_is_cut) {
  const std::string whole = greeting() + reply(1, 0, "103", literal("link", "a")) + reply(1, 0) +
                            frame(Type::data, 0, 1, "abc") + frame(Type::data, 0, 1, "de") +
                            frame(Type::headers, kEndHeaders | kEndStream, 1, literal("t", "u"));
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    H2Line line;
    SentRequest& asked = line.get();
    line.say(whole.substr(0, cut));
    EXPECT_FALSE(asked.is_there()) << cut;
    line.say(whole.substr(cut));
    EXPECT_EQ(asked.text(), "200 abcde") << cut;
    ASSERT_EQ(asked.response().trailers().size(), 1U);
    EXPECT_EQ(asked.response().trailers()[0].value, "u");
  }
}

TEST(ClientH2, asks_much_at_once_over_one_connection) {
  H2Line line;
  std::vector<SentRequest*> asked;
  for (int count = 0; count < 100; ++count) {
    asked.push_back(&line.get());
  }
  ASSERT_EQ(line.peers.size(), 1U);
  EXPECT_EQ(line.requests().size(), 100U);
  std::string responses = greeting();
  for (std::uint32_t stream = 199; stream >= 1 && stream < 200; stream -= 2) {
    responses += h2_response(stream, std::to_string(stream));
  }
  line.say(responses);
  for (std::uint32_t index = 0; index < 100; ++index) {
    EXPECT_EQ(asked[index]->text(), "200 " + std::to_string(2 * index + 1));
  }
}

TEST(ClientH2, asks_no_more_at_once_than_the_server_allows) {
  H2Line line(with([](auto& options) { options.connections_per_host_max = 1; }));
  line.get();
  line.say(greeting(setting(h2::test::kMaxConcurrentStreams, 2)) + h2_response(1, "1"));
  static_cast<void>(line.sent());
  std::vector<SentRequest*> asked;
  for (int count = 0; count < 5; ++count) {
    asked.push_back(&line.get());
  }
  EXPECT_EQ(line.requests(), (Streams{3, 5}));
  line.say(h2_response(3, "a"));
  EXPECT_EQ(line.requests(), (Streams{7})) << "as soon as one has ended";
  line.say(h2_response(5, "b") + h2_response(7, "c"));
  EXPECT_EQ(line.requests(), (Streams{9, 11}));
  line.say(h2_response(9, "d") + h2_response(11, "e"));
  EXPECT_EQ(asked[0]->text() + asked[4]->text(), "200 a200 e") << "first come, first served";
}

TEST(ClientH2, opens_another_connection_only_when_all_are_full) {
  H2Line line(with([](auto& options) { options.streams_per_connection_max = 2; }));
  for (int count = 0; count < 5; ++count) {
    line.get();
  }
  ASSERT_EQ(line.peers.size(), 3U);
  EXPECT_EQ(line.requests(0), (Streams{1, 3}));
  EXPECT_EQ(line.requests(1), (Streams{1, 3}));
  EXPECT_EQ(line.requests(2), (Streams{1}));
}

TEST(ClientH2, knows_of_a_new_connection_what_the_server_allowed_on_the_last) {
  H2Line line;
  line.get();
  line.say(greeting(setting(h2::test::kMaxConcurrentStreams, 2)) + h2_response(1, "1"));
  for (int count = 0; count < 5; ++count) {
    line.get();
  }
  ASSERT_EQ(line.peers.size(), 3U);
  EXPECT_EQ(line.requests(1), (Streams{1, 3})) << "though its SETTINGS have not come";
  EXPECT_EQ(line.requests(2), (Streams{1}));
}

TEST(ClientH2, does_not_wait_for_room_for_ever) {
  H2Line line(with([](auto& options) {
    options.streams_per_connection_max = 1;
    options.connections_per_host_max = 1;
  }));
  line.get();
  const SentRequest& second = line.get();
  line.kernel.advance(5100ms);
  EXPECT_EQ(second.text(), "timed_out");
  EXPECT_EQ(line.peers.size(), 1U);
}

TEST(ClientH2, opens_no_further_connections_to_a_server_that_allows_no_request) {
  H2Line line;
  line.get();
  line.say(greeting(setting(h2::test::kMaxConcurrentStreams, 0)) + h2_response(1, "1"));
  const SentRequest& waiting = line.get();
  line.get();
  line.kernel.advance(1s);
  EXPECT_EQ(line.peers.size(), 1U);
  line.say(frame(Type::settings, 0, 0, setting(h2::test::kMaxConcurrentStreams, 1)));
  line.say(h2_response(3, "3"));
  EXPECT_EQ(waiting.text(), "200 3");
}

TEST(ClientH2, fails_all_that_wait_for_the_same_connection_when_it_cannot_be_had) {
  H2Line line(with([](auto& options) { options.retries_max = 0; }));
  line.refusals = 1;
  std::vector<SentRequest*> asked;
  line.loop.call([] {});
  for (int count = 0; count < 3; ++count) {
    asked.push_back(&line.get());
  }
  EXPECT_EQ(asked[0]->text(), "not_connected");
  EXPECT_EQ(line.keys.size(), 2U) << "later ones try again, together";
}

TEST(ClientH2, resets_the_stream_of_a_task_that_is_destroyed_and_keeps_the_connection) {
  H2Line line;
  SentRequest& asked = line.get();
  const SentRequest& other = line.get();
  line.say(greeting() + reply(1, 0) + frame(Type::data, 0, 1, "hel"));
  static_cast<void>(line.sent());
  line.loop.call([&] { asked.task = Task<>(); });
  const auto frames = line.frames();
  ASSERT_TRUE(H2Line::has(frames, Type::rst_stream, 1));
  EXPECT_EQ(frames.back().payload, word(8)) << "CANCEL";
  line.say(frame(Type::data, kEndStream, 1, "lo") + h2_response(3, "3"));
  EXPECT_EQ(other.text(), "200 3");
  EXPECT_FALSE(line.peers[0].is_closed());
}

TEST(ClientH2, resets_the_stream_of_a_request_that_is_late) {
  H2Line line(with([](auto& options) { options.retries_max = 0; }));
  const SentRequest& late =
      line.ask(Method::get, "http://a/", [](ClientRequest& request) { request.timeout(10s); });
  const SentRequest& other = line.get();
  line.say(greeting());
  line.kernel.advance(9s);
  line.say(frame(Type::ping, 0, 0, "12345678"));
  line.kernel.advance(1100ms);
  EXPECT_EQ(late.text(), "timed_out");
  EXPECT_TRUE(H2Line::has(line.frames(), Type::rst_stream, 1));
  line.say(h2_response(3, "3"));
  EXPECT_EQ(other.text(), "200 3");
  line.get();
  EXPECT_EQ(line.peers.size(), 1U);
}

TEST(ClientH2, asks_a_server_no_more_that_has_fallen_silent) {
  H2Line line(with([](auto& options) { options.retries_max = 0; }));
  line.get();
  line.say(greeting() + h2_response(1, "1"));
  line.kernel.advance(1s);
  const SentRequest& late = line.get();
  line.kernel.advance(31s);
  EXPECT_EQ(late.text(), "timed_out");
  line.get();
  EXPECT_EQ(line.peers.size(), 2U);
}

TEST(ClientH2, pings_a_silent_server_and_gives_it_up_without_a_response) {
  H2Line line(with([](auto& options) {
    options.ping_after = 5s;
    options.retries_max = 0;
  }));
  const SentRequest& asked = line.get();
  line.say(greeting());
  line.kernel.advance(5100ms);
  ASSERT_TRUE(H2Line::has(line.frames(), Type::ping, 0));
  line.say(frame(Type::ping, 1, 0, std::string(8, '\0')));
  line.kernel.advance(5100ms);
  ASSERT_TRUE(H2Line::has(line.frames(), Type::ping, 0));
  EXPECT_EQ(asked.text(), "nothing yet");
  line.kernel.advance(5100ms);
  EXPECT_EQ(asked.text(), "connection_lost");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientH2, says_good_bye_to_what_is_idle_for_too_long) {
  H2Line line(with([](auto& options) { options.idle = 10s; }));
  line.get();
  line.say(greeting() + h2_response(1, "1"));
  static_cast<void>(line.sent());
  line.kernel.advance(9s);
  EXPECT_FALSE(line.peers[0].is_closed());
  line.kernel.advance(2s);
  EXPECT_TRUE(H2Line::has(line.frames(), Type::goaway, 0));
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientH2, gives_the_place_of_an_idle_connection_away) {
  H2Line line(with([](auto& options) { options.connections_max = 1; }));
  line.get("http://a/");
  line.say(greeting() + h2_response(1, "1"));
  const SentRequest& other = line.get("http://b/");
  ASSERT_EQ(line.peers.size(), 2U);
  EXPECT_TRUE(line.peers[0].is_closed());
  line.say(greeting() + h2_response(1, "2"), 1);
  EXPECT_EQ(other.text(), "200 2");
}

// Retries.

TEST(ClientH2, moves_what_a_leaving_server_has_not_looked_at_whatever_its_method) {
  H2Line line(with([](auto& options) { options.retries_max = 0; }));
  const SentRequest& first = line.get();
  const SentRequest& second = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body("content", "text/plain");
  });
  line.say(greeting() + goaway(1));
  ASSERT_EQ(line.peers.size(), 2U);
  line.say(h2_response(1, "1"));
  EXPECT_EQ(first.text(), "200 1") << "the old connection serves what it has begun";
  EXPECT_TRUE(line.peers[0].is_closed());
  EXPECT_EQ(H2Line::content(line.frames(1), 1), "content|");
  line.say(greeting() + h2_response(1, "2"), 1);
  EXPECT_EQ(second.text(), "200 2");
}

TEST(ClientH2, does_not_follow_a_server_that_always_leaves) {
  H2Line line;
  const SentRequest& asked = line.get();
  for (std::size_t times = 0; times < 60 && !asked.is_there(); ++times) {
    ASSERT_EQ(line.peers.size(), times + 1);
    line.say(greeting() + goaway(0), times);
    line.kernel.advance(400ms);
  }
  EXPECT_EQ(asked.text(), "connection_lost");
  EXPECT_EQ(line.peers.size(), 35U) << "32 for free, and two more a little later";
}

TEST(ClientH2, asks_again_a_little_later_what_was_refused) {
  H2Line line;
  line.get();
  line.say(greeting() + h2_response(1, "1"));
  const SentRequest& asked = line.ask(Method::post, "http://a/");
  line.say(reset(3, 7));
  EXPECT_EQ(asked.text(), "nothing yet");
  line.kernel.advance(110ms);
  line.say(h2_response(5, "5"));
  EXPECT_EQ(asked.text(), "200 5");
  EXPECT_EQ(line.peers.size(), 1U);
}

TEST(ClientH2, waits_for_room_with_what_was_sent_before_the_server_said_how_much_it_takes) {
  H2Line line(with([](auto& options) {
    options.retries_max = 0;
    options.connections_per_host_max = 1;
  }));
  std::vector<SentRequest*> asked;
  for (int count = 0; count < 30; ++count) {
    asked.push_back(&line.get());
  }
  EXPECT_EQ(line.requests().size(), 30U);
  std::string refusals = greeting(setting(h2::test::kMaxConcurrentStreams, 1));
  for (std::uint32_t stream = 3; stream < 60; stream += 2) {
    refusals += reset(stream, 7);
  }
  line.say(refusals + h2_response(1, "x"));
  for (std::uint32_t stream = 61; stream < 61 + 2 * 29; stream += 2) {
    ASSERT_EQ(line.requests(), (Streams{stream}));
    line.say(h2_response(stream, "x"));
  }
  for (const SentRequest* const one : asked) {
    EXPECT_EQ(one->text(), "200 x");
  }
}

TEST(ClientH2, does_not_repeat_a_post_that_may_have_been_done) {
  H2Line line;
  const SentRequest& asked = line.ask(Method::post, "http://a/");
  line.say(greeting() + reset(1, 2));
  EXPECT_EQ(asked.text(), "connection_lost");
  const SentRequest& lost = line.ask(Method::post, "http://a/");
  line.end();
  EXPECT_EQ(lost.text(), "connection_lost");
}

TEST(ClientH2, says_that_content_cannot_be_made_twice_where_nobody_has_looked_at_the_request) {
  for (const std::string& refusal : {reset(1, 7), goaway(0)}) {
    H2Line line;
    const SentRequest& asked = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
      request.body_from([]() -> Task<std::string> { co_return ""; }, "text/plain");
    });
    line.say(greeting() + refusal);
    EXPECT_EQ(asked.text(), "connection_lost");
    const std::string& said = asked.reply->error().text;
    EXPECT_NE(said.find("not repeated because its body cannot be sent twice"), std::string::npos);
    EXPECT_EQ(said.find("may have processed it"), std::string::npos) << said;
    EXPECT_EQ(line.peers.size(), 1U);
  }
}

TEST(ClientH2, repeats_what_was_lost_with_its_connection_over_one_new_connection) {
  H2Line line;
  line.get();
  line.say(greeting() + h2_response(1, "1"));
  std::vector<SentRequest*> asked;
  for (int count = 0; count < 20; ++count) {
    asked.push_back(&line.get());
  }
  line.end();
  ASSERT_EQ(line.peers.size(), 2U) << "no stampede";
  EXPECT_EQ(line.requests(1).size(), 20U);
  std::string responses = greeting();
  for (std::uint32_t stream = 1; stream < 40; stream += 2) {
    responses += h2_response(stream, "x");
  }
  line.say(responses, 1);
  for (const SentRequest* const one : asked) {
    EXPECT_EQ(one->text(), "200 x");
  }
}

TEST(ClientH2, follows_redirects_and_undoes_nothing_else) {
  H2Line line;
  const SentRequest& asked = line.get();
  line.say(greeting() + h2_response(1, "x", literal("location", "/b"), "302"));
  EXPECT_EQ(line.requests(), (Streams{1, 3}));
  line.say(h2_response(3, "3"));
  EXPECT_EQ(asked.text(), "200 3");
}

// Bodies.

TEST(ClientH2, sends_content_as_the_windows_allow) {
  H2Line line;
  const SentRequest& asked = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body(std::string(200000, 'x'), "text/plain");
  });
  line.say(greeting());
  EXPECT_EQ(H2Line::content(line.frames(), 1).size(), 65535U);
  line.say(frame(Type::window_update, 0, 0, word(1000000)) +
           frame(Type::window_update, 0, 1, word(1000000)));
  EXPECT_EQ(H2Line::content(line.frames(), 1).size(), 200000U - 65535U + 1U);
  line.say(h2_response(1, "1"));
  EXPECT_EQ(asked.text(), "200 1");
}

TEST(ClientH2, sends_empty_content) {
  H2Line line;
  line.ask(Method::post, "http://a/",
           [](ClientRequest& request) { request.body("", "text/plain"); });
  for (const Frame& one : line.frames()) {
    EXPECT_TRUE(one.type != Type::headers || (one.flags & kEndStream) != 0);
  }
}

ContentProducer numbers(int& made, int count) {
  return [&made, count] {
    struct Give {
      static Task<std::string> piece(int& made, int count) {
        ++made;
        co_return made > count ? std::string() : std::string(10000, 'x');
      }
    };
    return Give::piece(made, count);
  };
}

TEST(ClientH2, makes_content_no_faster_than_the_server_takes_it) {
  H2Line line;
  int made = 0;
  line.ask(Method::post, "http://a/",
           [&](ClientRequest& request) { request.body_from(numbers(made, 20), "text/plain"); });
  EXPECT_EQ(made, 0) << "it waits for consent";
  line.say(greeting() + reply(1, 0, "100"));
  EXPECT_EQ(made, 7) << "six and a half fit into the window";
  line.say(frame(Type::window_update, 0, 0, word(1000000)) +
           frame(Type::window_update, 0, 1, word(1000000)));
  EXPECT_EQ(made, 21);
  EXPECT_TRUE(H2Line::content(line.frames(), 1).ends_with("x|"));
}

TEST(ClientH2, gives_up_content_whose_window_never_opens) {
  H2Line line;
  const SentRequest& stuck = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body(std::string(900000, 'x'), "text/plain").timeout(50s);
  });
  line.say(greeting());
  line.kernel.advance(49s);
  EXPECT_EQ(stuck.text(), "nothing yet");
  line.kernel.advance(2s);
  EXPECT_EQ(stuck.text(), "timed_out");
  EXPECT_TRUE(H2Line::has(line.frames(), Type::rst_stream, 1));
}

TEST(ClientH2, sends_no_more_content_when_the_response_comes_first) {
  H2Line line;
  const SentRequest& asked = line.ask(Method::post, "http://a/", [](ClientRequest& request) {
    request.body(std::string(900000, 'x'), "text/plain");
  });
  line.say(greeting() + h2_response(1, "no", {}, "413"));
  EXPECT_EQ(asked.text(), "413 no");
  EXPECT_TRUE(H2Line::has(line.frames(), Type::rst_stream, 1));
  EXPECT_FALSE(line.peers[0].is_closed());
}

}  // namespace
}  // namespace eider
