// Connections: how many are kept, for how long and for which requests; and retries.
#include <gtest/gtest.h>

#include <string>

#include "eider/client/test_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::ClientLine;
using testing::response;
using testing::SentRequest;

ClientOptions changed(auto change) {
  ClientOptions options;
  change(options);
  return options;
}

TEST(ClientPool, keeps_a_connection_for_the_next_request_of_its_origin_only) {
  ClientLine line;
  line.get("http://a/1");
  line.say(response("1"));
  const SentRequest& second = line.get("http://A:80/2");
  line.say(response("2"));
  EXPECT_EQ(second.text(), "200 2");
  line.get("http://a:81/3");
  line.get("http://b/4");
  EXPECT_EQ(line.keys, (std::vector<std::string>{"http://a", "http://a:81", "http://b"}));
}

TEST(ClientPool, does_not_keep_what_the_server_ends) {
  for (const std::string_view head :
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
        "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"}) {
    ClientLine line;
    const SentRequest& asked = line.get();
    line.say(head);
    EXPECT_EQ(asked.text(), "200 x");
    EXPECT_TRUE(line.peers[0].is_closed());
  }
}

TEST(ClientPool, closes_what_is_idle_for_too_long) {
  ClientLine line(changed([](auto& options) { options.idle = 10s; }));
  line.get();
  line.say(response("1"));
  line.kernel.advance(9s);
  EXPECT_FALSE(line.peers[0].is_closed());
  line.kernel.advance(2s);
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientPool, bounds_what_is_under_way_to_one_host_and_goes_on_when_there_is_room) {
  ClientLine line(changed([](auto& options) { options.connections_per_host_max = 2; }));
  const SentRequest& first = line.get();
  const SentRequest& second = line.get();
  const SentRequest& third = line.get();
  EXPECT_EQ(line.peers.size(), 2U);
  line.say(response("1"));
  EXPECT_EQ(first.text(), "200 1");
  EXPECT_EQ(line.peers.size(), 2U) << "the third uses the connection of the first";
  line.say(response("3"));
  EXPECT_EQ(third.text(), "200 3");
  line.say(response("2"), 1);
  EXPECT_EQ(second.text(), "200 2");
}

TEST(ClientPool, gives_a_request_up_that_finds_no_room_in_time) {
  ClientLine line(changed([](auto& options) { options.connections_per_host_max = 1; }));
  line.get();
  const SentRequest& second = line.get();
  line.kernel.advance(5100ms);
  EXPECT_EQ(second.text(), "timed_out");
  EXPECT_NE(second.reply->error().text.find("connections_per_host_max"), std::string::npos);
}

TEST(ClientPool, bounds_all_connections_and_closes_idle_ones_for_new_ones) {
  ClientLine line(changed([](auto& options) { options.connections_max = 2; }));
  line.get("http://a/");
  line.say(response("1"));
  line.get("http://b/");
  line.say(response("2"), 1);
  line.get("http://c/");
  EXPECT_EQ(line.peers.size(), 3U);
  EXPECT_NE(line.peers[0].is_closed(), line.peers[1].is_closed());
}

TEST(ClientPool, gives_the_room_of_a_cancelled_request_to_the_next) {
  ClientLine line(changed([](auto& options) { options.connections_per_host_max = 1; }));
  SentRequest& first = line.get();
  SentRequest& waiting = line.get();
  const SentRequest& third = line.get();
  waiting.task = Task<>();
  first.task = Task<>();
  line.kernel.run_until_idle();
  ASSERT_EQ(line.peers.size(), 2U);
  line.say(response("3"), 1);
  EXPECT_EQ(third.text(), "200 3");
}

TEST(ClientRetries, repeats_at_once_what_a_connection_dropped_that_was_closed_while_idle) {
  ClientLine line(changed([](auto& options) { options.retries_max = 0; }));
  line.get();
  line.say(response("1"));
  const SentRequest& second = line.get();
  line.end();  // the request and the end of the connection were sent at the same time
  ASSERT_EQ(line.peers.size(), 2U);
  line.say(response("2"), 1);
  EXPECT_EQ(second.text(), "200 2");
}

TEST(ClientRetries, does_not_repeat_a_post_that_may_have_been_done) {
  ClientLine line;
  line.get();
  line.say(response("1"));
  const SentRequest& post = line.ask(Method::post, "http://a/");
  line.end();
  EXPECT_EQ(post.text(), "connection_lost");
  EXPECT_NE(post.reply->error().text.find("not repeated"), std::string::npos);
  const SentRequest& repeatable =
      line.ask(Method::post, "http://a/", [](ClientRequest& request) { request.repeatable(); });
  line.say(response("2"), 1);
  EXPECT_EQ(repeatable.text(), "200 2");
}

TEST(ClientRetries, does_not_repeat_what_was_answered_in_part) {
  ClientLine line;
  const SentRequest& asked = line.get();
  line.say("HTTP/1.1 200 OK\r\nCont");
  line.end();
  EXPECT_EQ(asked.text(), "connection_lost");
  EXPECT_EQ(line.peers.size(), 1U);
}

TEST(ClientRetries, tries_again_when_nobody_answers_with_growing_pauses) {
  ClientLine line;
  line.refusals = 2;
  // Nothing was sent, so it may be repeated.
  const SentRequest& asked = line.ask(Method::post, "http://a/");
  EXPECT_EQ(line.keys.size(), 1U);
  line.kernel.advance(101ms);
  EXPECT_EQ(line.keys.size(), 2U);
  line.kernel.advance(99ms);
  EXPECT_EQ(line.keys.size(), 2U);
  line.kernel.advance(101ms);
  ASSERT_EQ(line.peers.size(), 1U);
  line.say(response("1"));
  EXPECT_EQ(asked.text(), "200 1");
}

TEST(ClientRetries, gives_up_behind_its_bound) {
  ClientLine line;
  line.refusals = 3;
  const SentRequest& asked = line.get();
  line.kernel.advance(1s);
  EXPECT_EQ(asked.text(), "not_connected");
  EXPECT_EQ(line.keys.size(), 3U);
}

TEST(ClientRetries, has_a_budget_for_all_requests_together) {
  ClientLine line;
  line.refusals = 1000;
  for (int index = 0; index < 50; ++index) {
    line.get();
    line.kernel.advance(1s);
  }
  EXPECT_LE(line.keys.size(), 50U + 10U + 5U);
}

TEST(ClientRetries, heeds_retry_after_within_its_bound) {
  ClientLine line;
  const SentRequest& asked = line.get();
  line.say(response("", "Retry-After: 2\r\n", "503 Busy"));
  EXPECT_EQ(asked.text(), "nothing yet");
  line.kernel.advance(1900ms);
  EXPECT_TRUE(line.sent(0).ends_with("\r\n\r\n"));
  line.kernel.advance(200ms);
  EXPECT_TRUE(line.sent(0).starts_with("GET / ")) << "over the same connection";
  line.say(response("1"));
  EXPECT_EQ(asked.text(), "200 1");
  const SentRequest& impatient = line.get();
  line.say(response("", "Retry-After: 3600\r\n", "503 Busy"));
  EXPECT_EQ(impatient.text(), "503 ");
  const SentRequest& post = line.ask(Method::post, "http://a/");
  line.say(response("", "Retry-After: 0\r\n", "503 Busy"));
  EXPECT_EQ(post.text(), "503 ") << "a POST is not repeated";
}

TEST(ClientRetries, gives_the_response_if_retry_after_is_later_than_the_deadline) {
  ClientLine line;
  const SentRequest& asked =
      line.ask(Method::get, "http://a/", [](ClientRequest& request) { request.timeout(1s); });
  line.say(response("", "Retry-After: 2\r\n", "503 Busy"));
  EXPECT_EQ(asked.text(), "503 ");
}

TEST(ClientRedirects, are_followed_with_the_method_that_each_status_means) {
  struct Case {
    Method method;
    std::string_view status;
    std::string_view line;
    bool keeps_content;
  };
  for (const Case& one :
       {Case{Method::get, "301 -", "GET /b ", false}, Case{Method::post, "301 -", "GET /b ", false},
        Case{Method::post, "302 -", "GET /b ", false}, Case{Method::put, "302 -", "PUT /b ", true},
        Case{Method::put, "303 -", "GET /b ", false},
        Case{Method::head, "303 -", "HEAD /b ", false},
        Case{Method::post, "307 -", "POST /b ", true},
        Case{Method::post, "308 -", "POST /b ", true}}) {
    ClientLine line;
    const SentRequest& asked = line.ask(one.method, "http://a/x/", [&](ClientRequest& request) {
      if (one.method == Method::post || one.method == Method::put) {
        request.body("content", "text/plain");
      }
    });
    static_cast<void>(line.sent());
    line.say(response("", "Location: ../b\r\n", one.status));
    const std::string sent = line.sent();
    EXPECT_TRUE(sent.starts_with(one.line)) << one.status << sent;
    EXPECT_EQ(sent.ends_with("content"), one.keeps_content) << sent;
    EXPECT_EQ(sent.contains("Content-Type"), one.keeps_content) << sent;
    line.say(one.method == Method::head ? "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
                                        : response("1"));
    ASSERT_TRUE(asked.is_response());
    EXPECT_EQ(asked.reply->value().url(), "http://a/b");
  }
}

TEST(ClientRedirects, take_no_credentials_to_another_origin) {
  ClientLine line;
  line.ask(Method::get, "http://a/", [](ClientRequest& request) {
    request.bearer("secret").header("Cookie", "a=b").header("X-Api-Key", "secret");
    request.header("accept-language", "y");
  });
  line.say(response("", "Location: /same\r\n", "302 -"));
  const std::string same = line.sent();
  EXPECT_TRUE(same.contains("GET /same HTTP/1.1"));
  EXPECT_TRUE(same.contains("X-Api-Key: secret"));
  line.say(response("", "Location: http://a:81/other\r\n", "302 -"));
  const std::string sent = line.sent(1);
  EXPECT_TRUE(sent.starts_with("GET /other "));
  EXPECT_TRUE(sent.contains("accept-language: y\r\n"));
  EXPECT_FALSE(sent.contains("secret"));
  EXPECT_FALSE(sent.contains("Cookie"));
}

const ClientLine::Prepare kPosting = [](ClientRequest& request) {
  request.body("content", "text/plain");
};

TEST(ClientRedirects, keep_content_with_its_origin_unless_it_may_leave) {
  ClientLine line;
  const SentRequest& kept = line.ask(Method::post, "http://a/", kPosting);
  line.say(response("", "Location: /same\r\n", "307 -"));
  EXPECT_TRUE(line.sent().ends_with("content"));
  line.say(response("", "Location: http://b/\r\n", "308 -"));
  EXPECT_EQ(kept.text(), "bad_redirect");
  EXPECT_EQ(line.peers.size(), 1U) << "b hears nothing";
  ClientLine other;
  const SentRequest& dropped = other.ask(Method::post, "http://a/", kPosting);
  other.say(response("", "Location: http://b/\r\n", "303 -"));
  EXPECT_TRUE(other.sent(1).starts_with("GET / "));
  other.say(response("here"), 1);
  EXPECT_EQ(dropped.text(), "200 here");
  ClientLine free(changed([](auto& options) { options.may_redirect_body_cross_origin = true; }));
  free.ask(Method::post, "http://a/", kPosting);
  free.say(response("", "Location: http://b/\r\n", "307 -"));
  EXPECT_TRUE(free.sent(1).ends_with("content"));
}

TEST(ClientRedirects, end_some_time) {
  ClientLine line(changed([](auto& options) { options.redirects_max = 3; }));
  const SentRequest& asked = line.get();
  for (int times = 0; times < 4; ++times) {
    EXPECT_EQ(asked.text(), "nothing yet");
    line.say(response("", "Location: /\r\n", "302 -"));
  }
  EXPECT_EQ(asked.text(), "too_many_redirects");
}

TEST(ClientRedirects, are_given_as_they_are_where_none_is_wanted_or_possible) {
  ClientLine off(changed([](auto& options) { options.redirects_max = 0; }));
  const SentRequest& given = off.get();
  off.say(response("x", "Location: /\r\n", "302 -"));
  EXPECT_EQ(given.text(), "302 x");
  ClientLine line;
  const SentRequest& nowhere = line.get();
  line.say(response("x", "", "302 -"));
  EXPECT_EQ(nowhere.text(), "302 x");
  for (const char* const empty : {"Location:\r\n", "Location: \r\n", "Location: \t \r\n"}) {
    const SentRequest& same = line.get();
    line.say(response("x", empty, "302 -"));
    EXPECT_EQ(same.text(), "302 x");
  }
  const SentRequest& elsewhere = line.get();
  line.say(response("x", "Location: file:///etc/passwd\r\n", "302 -"));
  EXPECT_EQ(elsewhere.text(), "bad_redirect");
}

}  // namespace
}  // namespace eider
