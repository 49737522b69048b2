// Hooks and observers are called for every response over HTTP/2, including the server's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/support/h2_server.h"
#include "tests/support/observed_app.h"

namespace eider::detail::http2::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Lines = std::vector<std::string>;
using Server = H2ServerOf<ObservedApp>;

std::string ask(std::string_view method, std::string_view path) {
  return frame(Type::headers, kEndHeaders | kEndStream, 1, head(method, path));
}

struct Case {
  std::string request;
  std::string hooked;
  std::string logged;
};

const std::vector<Case> kCases = {
    {ask("GET", "/notes/7"), "200 /notes/7", "GET /notes/7 200 1 "},
    {ask("HEAD", "/notes/7"), "200 /notes/7", "HEAD /notes/7 200 0 "},
    {ask("GET", "/none"), "404 /none", "GET /none 404 "},
    {ask("PUT", "/notes/7"), "405 /notes/7", "PUT /notes/7 405 "},
    {ask("OPTIONS", "/notes/7"), "204 /notes/7", "OPTIONS /notes/7 204 0 "},
    {ask("GET", "/changed"), "203 /changed", "GET /changed 203 7 "},
    {ask("HEAD", "/changed"), "200 /changed", "HEAD /changed 200 0 "},
    {ask("GET", "/refused"), "401 /refused", "GET /refused 401 "},
    {post(1, "/notes") + frame(Type::data, kEndStream, 1, std::string(11, 'x')), "413 /notes",
     "POST /notes 413 "},
    {ask("BREW", "/a"), "501 ", "- - 501 "},
};

TEST(EveryResponseH2, is_seen_once_by_hooks_and_observers) {
  for (const Case& one : kCases) {
    Server server;
    const SimClient client = server.connect(one.request);
    EXPECT_TRUE(received_on(client.received(), 1).is_whole) << one.hooked;
    EXPECT_EQ(noted().hooked, Lines{one.hooked});
    ASSERT_EQ(noted().log->lines.size(), 1U) << one.hooked;
    EXPECT_TRUE(noted().log->lines[0].starts_with(one.logged)) << noted().log->lines[0];
    EXPECT_TRUE(noted().log->lines[0].ends_with(" HTTP/2 -")) << noted().log->lines[0];
  }
}

TEST(EveryResponseH2, is_a_500_where_a_hook_throws_ahead_of_a_streams_first_byte) {
  Server server;
  const SimClient client = server.connect(ask("GET", "/broken-hook"));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_FALSE(received_on(client.received(), 1).content.contains("never"));
  EXPECT_TRUE(noted().log->lines.at(0).starts_with("GET /broken-hook 500 "));
}

TEST(EveryResponseH2, is_told_when_its_last_byte_has_left) {
  Server server;
  SimClient client = server.connect(ask("GET", "/big"));
  server.kernel.advance(seconds(2));
  EXPECT_EQ(noted().log->lines, Lines{});
  client.send(window_update(0, 1'000'000) + window_update(1, 1'000'000));
  server.kernel.run_until_idle();
  EXPECT_EQ(noted().log->lines, Lines{"GET /big 200 1000000 2000.0 HTTP/2 -"});
  EXPECT_EQ(noted().routes, Lines{"/big"});
}

TEST(EveryResponseH2, that_does_not_leave_whole_is_told_to_be_cut) {
  Server server;
  SimClient client = server.connect(get(1, "/big") + get(3, "/later") + get(5, "/big"));
  server.kernel.advance(milliseconds(150));
  client.send(frame(Type::rst_stream, 0, 1, word(8)) + frame(Type::rst_stream, 0, 3, word(8)));
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  Lines lines = noted().log->take();
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (Lines{"GET /big 200 0 150.0 HTTP/2 - aborted",
                          "GET /big 200 65535 150.0 HTTP/2 - aborted",
                          "GET /later 0 0 150.0 HTTP/2 - aborted"}));
}

}  // namespace
}  // namespace eider::detail::http2::test
