#include "eider/web/middleware/access_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/json/json.h"
#include "eider/core/json/value.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/identity.h"
#include "eider/web/middleware/security_headers.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
namespace h2 = detail::http2::test;

class LoggedApp {
 public:
  explicit LoggedApp(AccessFormat format) {
    app.log_to(std::make_shared<LogLines>());
    app.observe(access_log(log, format));
    app.guard([](const Request& request) -> Identity {
      return {std::string(request.header("Who").value_or(""))};
    });
    app.get("/notes/{id}", [](int id) { return id; });
    app.get("/reset", [](const Request& request) { return std::string(request.query()); })
        .use(redact_query());
    app.get("/streamed", [](ResponseStream out) -> Task<> {
      co_await out.write("12345");
      co_await sleep_for(milliseconds(40));
      co_await out.write("67890");
    });
  }
  /// Returns the log line of one request.
  std::string line(const TestRequest& request) {
    TestClient client(app);
    client.send(request);
    client.advance(milliseconds(1));
    return log->lines.empty() ? "" : log->lines.back();
  }

  App app;
  std::shared_ptr<LogLines> log = std::make_shared<LogLines>();
};

TEST(AccessLog, is_json_with_all_that_is_known) {
  LoggedApp logged(AccessFormat::json);
  const auto line = json::read<json::Value>(
      logged.line({.target = "/notes/7?full=1", .headers = {{"Who", "ann"}}}));
  ASSERT_TRUE(line.has_value());
  const auto text = [&line](const char* name) {
    return json::to_text(line->at("/" + std::string(name)));
  };
  EXPECT_EQ(text("method"), "\"GET\"");
  EXPECT_EQ(text("target"), "\"/notes/7?full=1\"");
  EXPECT_EQ(text("route"), "\"/notes/{id}\"");
  EXPECT_EQ(text("status"), "200");
  EXPECT_EQ(text("bytes_out"), "1");
  EXPECT_EQ(text("protocol"), "\"HTTP/1.1\"");
  EXPECT_EQ(text("user"), "\"ann\"");
  EXPECT_EQ(text("is_complete"), "true");
}

TEST(AccessLog, is_the_common_format_of_web_servers) {
  LoggedApp logged(AccessFormat::common);
  const std::string line = logged.line({.target = "/notes/7", .headers = {{"Who", "ann"}}});
  EXPECT_TRUE(line.starts_with("- - ann [")) << line;
  EXPECT_TRUE(line.ends_with(" +0000] \"GET /notes/7 HTTP/1.1\" 200 1")) << line;
}

TEST(AccessLog, is_combined_with_what_the_browser_says_of_itself) {
  LoggedApp logged(AccessFormat::combined);
  const std::string line = logged.line(
      {.target = "/notes/7", .headers = {{"Referer", "http://a/"}, {"User-Agent", "x \"y\\"}}});
  EXPECT_TRUE(line.ends_with("200 1 \"http://a/\" \"x \\x22y\\x5C\"")) << line;
}

TEST(AccessLog, keeps_what_clients_send_within_its_quotes) {
  for (const AccessFormat format : {AccessFormat::common, AccessFormat::combined}) {
    LoggedApp logged(format);
    const std::string line = logged.line(
        {.target = "/x", .headers = {{"User-Agent", "caf\xC3\xA9 \t\xFF"}, {"Who", "a\" b"}}});
    EXPECT_EQ(line.find_first_of("\xC3\xFF\t"), std::string::npos) << line;
  }
  LoggedApp logged(AccessFormat::json);
  const std::string line = logged.line({.target = "/notes/7", .headers = {{"Who", "a\"\xFF"}}});
  EXPECT_TRUE(json::read<json::Value>(line).has_value()) << line;
}

TEST(AccessLog, leaves_out_a_query_that_is_a_secret) {
  for (const AccessFormat format :
       {AccessFormat::text, AccessFormat::json, AccessFormat::common, AccessFormat::combined}) {
    LoggedApp logged(format);
    const std::string line = logged.line({.target = "/reset?token=abc"});
    EXPECT_TRUE(line.contains("/reset?hidden")) << line;
    EXPECT_FALSE(line.contains("abc")) << line;
    EXPECT_TRUE(logged.line({.target = "/notes/7?full=1"}).contains("/notes/7?full=1"));
  }
}

TEST(AccessLog, leaves_a_secret_query_out_of_the_referer_of_its_route) {
  LoggedApp logged(AccessFormat::combined);
  const std::string page = "http://a/reset?token=abc";
  const std::string line =
      logged.line({.target = "/reset?token=abc", .headers = {{"Referer", page}}});
  EXPECT_TRUE(line.contains("\"http://a/reset?hidden\"")) << line;
  EXPECT_FALSE(line.contains("abc")) << line;
}

TEST(AccessLog, leaves_out_a_query_that_was_refused_ahead_of_its_route) {
  for (const char* target : {"/nowhere?token=abc", "/reset?a=1&TOKEN=abc", "/reset?t%6fken=abc",
                             "/reset?page=2&access_token=abc&x"}) {
    LoggedApp logged(AccessFormat::combined);
    logged.app.guard([](const Request&) -> Result<void> { return fail(Error(429, "Too often.")); });
    const std::string page = "http://a" + std::string(target);
    const std::string line = logged.line({.target = target, .headers = {{"Referer", page}}});
    EXPECT_TRUE(line.contains("?hidden HTTP")) << line;
    EXPECT_FALSE(line.contains("abc")) << line;
  }
}

TEST(AccessLog, takes_names_of_secrets_in_place_of_the_usual_ones) {
  App app;
  const auto log = std::make_shared<LogLines>();
  app.observe(access_log(log, AccessFormat::text, {"invitation"}));
  TestClient client(app);
  client.get("/?invitation=abc");
  client.get("/?token=abc&tokens=1");
  ASSERT_EQ(log->lines.size(), 2U);
  EXPECT_TRUE(log->lines[0].contains("/?hidden")) << log->lines[0];
  EXPECT_TRUE(log->lines[1].contains("/?token=abc&tokens=1")) << log->lines[1];
}

TEST(AccessLog, a_page_by_a_secret_query_tells_its_address_to_nobody) {
  LoggedApp logged(AccessFormat::combined);
  logged.app.use(security_headers());
  logged.app
      .get("/strict",
           [] { return ResponseOf(std::string("x")).header("Referrer-Policy", "no-referrer"); })
      .use(redact_query());
  TestClient client(logged.app);
  EXPECT_EQ(client.get("/reset?token=abc").header("Referrer-Policy"), "strict-origin");
  EXPECT_EQ(client.get("/strict?token=abc").header("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(client.get("/notes/7").header("Referrer-Policy"), "same-origin");
}

TEST(AccessLog, tells_streams_when_they_are_over_with_all_their_bytes_and_time) {
  LoggedApp logged(AccessFormat::text);
  EXPECT_TRUE(
      logged.line({.target = "/streamed"}).starts_with("GET /streamed 200 10 40.0 HTTP/1.1"))
      << logged.log->lines.back();
  EXPECT_EQ(logged.log->lines.size(), 1U);
}

TEST(AccessLog, tells_a_websocket_when_its_connection_has_been_taken_over) {
  LoggedApp logged(AccessFormat::text);
  logged.app.ws("/live", [](WebSocket socket) -> Task<> { (void)co_await socket.receive(); });
  TestClient client(logged.app);
  const std::string response = client.raw(
      "GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 101")) << response;
  ASSERT_EQ(logged.log->lines.size(), 1U);
  EXPECT_TRUE(logged.log->lines[0].starts_with("GET /live 101 ")) << logged.log->lines[0];
}

std::shared_ptr<LogLines> h2_log;

void set_up_logged(App& app) {
  h2_log = std::make_shared<LogLines>();
  app.observe(access_log(h2_log));
  app.get("/streamed", [](ResponseStream out) -> Task<> {
    co_await out.write("12345");
    co_await sleep_for(milliseconds(40));
    co_await out.write("67890");
  });
}

/// Returns the warnings of an app about requests that took longer than 30 ms.
std::vector<std::string> slow_lines(const TestRequest& request) {
  App app;
  const auto log = std::make_shared<LogLines>();
  app.observe(slow_log(log, milliseconds(30)));
  app.get("/sleeps/{ms}", [](int ms) -> Task<int> {
    co_await sleep_for(milliseconds(ms));
    co_return ms;
  });
  TestClient client(app);
  client.send(request);
  client.advance(milliseconds(1));
  return log->lines;
}

TEST(SlowLog, tells_each_request_that_took_longer_with_its_route) {
  EXPECT_EQ(slow_lines({.target = "/sleeps/29"}), std::vector<std::string>());
  const std::vector<std::string> lines = slow_lines({.target = "/sleeps/31?token=abc&full=1"});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("slow request still running method=GET route=/sleeps/{ms} "));
  EXPECT_FALSE(lines[0].contains("abc"));
  EXPECT_TRUE(
      lines[1].starts_with("slow request method=GET target=/sleeps/31?hidden "
                           "route=/sleeps/{ms} status=200 "))
      << lines[1];
  EXPECT_TRUE(lines[1].contains(" milliseconds=31 ")) << lines[1];
}

/// Returns those for streams that start after 10 or 50 ms and run for another 100 ms.
std::vector<std::string> slow_stream_lines(const std::string& target) {
  App app;
  const auto log = std::make_shared<LogLines>();
  app.observe(slow_log(log, milliseconds(30)));
  app.get("/events/{ms}", [](int ms, EventStream events) -> Task<> {
    co_await sleep_for(milliseconds(ms));
    co_await events.send({.data = "1"});
    co_await sleep_for(milliseconds(100));
  });
  app.get("/rows/{ms}", [](int ms, ResponseStream out) -> Task<> {
    co_await sleep_for(milliseconds(ms));
    co_await out.write("1\n");
    co_await sleep_for(milliseconds(100));
  });
  TestClient client(app);
  client.get(target);
  client.advance(milliseconds(1));
  std::erase_if(log->lines, [](const std::string& line) { return line.contains("still running"); });
  return log->lines;
}

TEST(SlowLog, measures_a_stream_until_it_begins) {
  EXPECT_EQ(slow_stream_lines("/events/10"), std::vector<std::string>());
  EXPECT_EQ(slow_stream_lines("/rows/10"), std::vector<std::string>());
  const std::vector<std::string> lines = slow_stream_lines("/rows/50");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("slow request method=GET target=/rows/50 ")) << lines[0];
}

/// A global, because set_up_slow_sockets is a plain function without arguments.
std::shared_ptr<LogLines> slow_socket_lines;  // NOLINT(*-avoid-non-const-global-variables)

void set_up_slow_sockets(App& app) {
  slow_socket_lines = std::make_shared<LogLines>();
  app.observe(slow_log(slow_socket_lines, std::chrono::seconds(2)));
  app.ws("/live", [](WebSocket socket) -> Task<> { co_await socket.receive(); });
}

TEST(SlowLog, does_not_report_a_websocket_that_was_opened_quickly) {
  SimAppServer<&set_up_slow_sockets> server;
  SimClient client = server.connect();
  client.send(
      "GET /live HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  server.kernel.advance(std::chrono::seconds(20));
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 101 ")) << client.received();
  client.close();
  server.kernel.advance(std::chrono::seconds(20));
  EXPECT_EQ(slow_socket_lines->lines, std::vector<std::string>());
}

constexpr std::size_t kManyRequests = 25;
/// A global, because set_up_slow is a plain function without arguments.
std::shared_ptr<LogLines> slow_log_lines;  // NOLINT(*-avoid-non-const-global-variables)

/// Returns the number of requests that were logged while running.
std::size_t told_going_on() {
  return static_cast<std::size_t>(std::ranges::count_if(
      slow_log_lines->lines,
      [](const std::string& line) { return line.starts_with("slow request still running "); }));
}

void set_up_slow(App& app) {
  slow_log_lines = std::make_shared<LogLines>();
  app.observe(slow_log(slow_log_lines, std::chrono::seconds(2)));
  app.observe(slow_log(slow_log_lines, std::chrono::seconds(10)));
  app.get("/sleeps/{seconds}", [](int seconds) -> Task<int> {
    co_await sleep_for(std::chrono::seconds(seconds));
    co_return seconds;
  });
  app.get("/ticks", [](EventStream events) -> Task<> {
    co_await events.send({.data = "1"});
    co_await sleep_for(std::chrono::hours(1));
  });
}

std::string ask_slow(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

TEST(SlowLog, tells_once_what_a_request_waits_for_that_goes_on) {
  SimAppServer<&set_up_slow> server;
  SimClient client = server.connect();
  SimClient other = server.connect();
  client.send(ask_slow("/sleeps/5"));
  other.send(ask_slow("/sleeps/1"));
  server.kernel.advance(milliseconds(1900));
  EXPECT_EQ(slow_log_lines->lines, std::vector<std::string>());
  server.kernel.advance(milliseconds(2000));
  ASSERT_EQ(slow_log_lines->lines.size(), 1U);
  const std::string& line = slow_log_lines->lines[0];
  EXPECT_TRUE(line.starts_with(
      "slow request still running method=GET route=/sleeps/{seconds} milliseconds="))
      << line;
  EXPECT_TRUE(line.contains("waits_for=\"sleep (2.")) << line;
  server.kernel.advance(std::chrono::seconds(2));
  ASSERT_EQ(slow_log_lines->lines.size(), 2U);
  EXPECT_TRUE(slow_log_lines->lines[1].starts_with("slow request method=GET "));
  EXPECT_TRUE(slow_log_lines->lines[1].contains(" milliseconds=5000 "));
}

TEST(SlowLog, tells_a_request_that_goes_on_for_each_limit_and_each_time_anew) {
  SimAppServer<&set_up_slow> server;
  SimClient client = server.connect();
  client.send(ask_slow("/sleeps/60"));
  server.kernel.advance(std::chrono::seconds(9));
  EXPECT_EQ(told_going_on(), 1U);
  server.kernel.advance(std::chrono::seconds(50));
  EXPECT_EQ(told_going_on(), 2U);
  server.kernel.advance(std::chrono::seconds(2));
  client.send(ask_slow("/sleeps/5"));
  server.kernel.advance(std::chrono::seconds(4));
  EXPECT_EQ(told_going_on(), 3U);
}

TEST(SlowLog, tells_ten_at_a_time_and_no_live_stream) {
  SimAppServer<&set_up_slow> server;
  std::vector<SimClient> clients;
  for (std::size_t count = 0; count < kManyRequests; ++count) {
    clients.push_back(server.connect());
    clients.back().send(ask_slow("/sleeps/60"));
    clients.push_back(server.connect());
    clients.back().send(ask_slow("/ticks"));
  }
  server.kernel.advance(milliseconds(2500));
  EXPECT_EQ(told_going_on(), 10U);
  server.kernel.advance(std::chrono::seconds(1));
  EXPECT_EQ(told_going_on(), 20U);
  server.kernel.advance(std::chrono::seconds(5));
  EXPECT_EQ(told_going_on(), kManyRequests);
}

TEST(AccessLog, tells_streams_of_http2_likewise) {
  h2::H2ServerOf<SimApp<&set_up_logged>> server;
  SimClient client = server.connect(h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream,
                                              1, h2::head("GET", "/streamed")));
  server.kernel.advance(milliseconds(10));
  EXPECT_TRUE(h2_log->lines.empty());
  server.kernel.advance(milliseconds(50));
  ASSERT_EQ(h2_log->lines.size(), 1U);
  EXPECT_TRUE(h2_log->lines[0].starts_with("GET /streamed 200 10 40.0 HTTP/2")) << h2_log->lines[0];
}

}  // namespace
}  // namespace eider
