// Multipart forms and event streams through the complete server, on a simulated kernel.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/multipart.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/conformance/multipart_cases.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Task<std::string> list_parts(Multipart form) {
  std::string found;
  while (true) {
    auto part = co_await form.next();
    if (!part) {
      co_return found;
    }
    const std::string text = co_await part->text(1000);
    found += part->name + "=" + text + ";";
  }
}

/// Returns the response to a form of that type with that body.
TestResponse upload(TestClient& client, std::string_view type, std::string body) {
  return client.send({.method = Method::post,
                      .target = "/form",
                      .headers = {{"Content-Type", type}},
                      .body = std::move(body)});
}

constexpr std::string_view kFormType = "multipart/form-data; boundary=xyz";

TEST(Uploads, a_handler_reads_the_parts_of_a_form) {
  App app;
  app.post("/form", list_parts);
  TestClient client(app);
  const TestResponse reply = upload(client, kFormType, form_around("1"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "a=1;");
}

TEST(Uploads, what_is_no_form_is_answered_with_its_status) {
  App app;
  app.post("/form", list_parts);
  TestClient client(app);
  EXPECT_EQ(upload(client, "text/plain", form_around("1")).status, 415);
  EXPECT_EQ(upload(client, "multipart/form-data", form_around("1")).status, 400);
  EXPECT_EQ(upload(client, kFormType, "--xyz\r\n\r\n").status, 400);
  EXPECT_EQ(upload(client, kFormType, "--xyz").status, 400);
  EXPECT_EQ(upload(client, kFormType, form_around(std::string(1001, 'a'))).status, 413);
  const TestResponse reply = upload(client, kFormType, "--xyz");
  EXPECT_EQ(reply.problem().detail, "The request body ends in the middle of a part.");
}

/// The number of events that the endless handler has sent, and of its running tasks.
struct Counts {
  int sent = 0;
  int running = 0;
};

struct Running {
  explicit Running(Counts& its_counts) : counts(its_counts) { ++counts.running; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { --counts.running; }
  Counts& counts;
};

/// An app with event streams, as a service that a simulated server creates itself.
class EventsService final : public SimAppService {
 public:
  EventsService() {
    app_.get("/two", [](EventStream events) -> Task<> {
      co_await events.send({.event = "seen", .data = events.last_event_id()});
      co_await events.send({.data = "a\nb", .id = "2"});
    });
    app_.get("/endless", [this](EventStream events) -> Task<> {
      const Running running(counts);
      const std::string data(1000, 'e');
      while (true) {
        co_await events.send({.data = data});
        ++counts.sent;
        co_await sleep_for(milliseconds(10));
      }
    });
    app_.get("/silent", [](EventStream) -> Task<> { co_await sleep_for(std::chrono::hours(1)); });
    app_.get("/lines", [](JsonLines<int> lines) -> Task<> {
      for (int number = 1; number <= 3; ++number) {
        co_await lines.send(number);
      }
    });
    make_service();
  }

  Counts counts;
};

using EventsServer = SimServerOf<EventsService>;

std::string get(std::string_view target, std::string_view fields = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

TEST(Unrouted, answers_ahead_of_a_body_and_gathers_none) {
  EventsServer server({.bodies_bytes_max = 100'000});
  for (const std::string_view framing :
       {"Content-Length: 1000000\r\n", "Transfer-Encoding: chunked\r\n",
        "Content-Length: 1000000\r\nExpect: 100-continue\r\n", "Content-Length: 9000000000\r\n"}) {
    const std::string response =
        server.exchange("POST /no-such HTTP/1.1\r\nHost: a\r\n" + std::string(framing) + "\r\n");
    EXPECT_TRUE(response.starts_with("HTTP/1.1 404 ")) << response;
    EXPECT_TRUE(response.contains("Connection: close\r\n")) << response;
  }
}

TEST(Unrouted, keeps_the_connection_behind_a_body_that_has_come) {
  EventsServer server;
  const std::string wrong = "PATCH /two HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody";
  const auto responses = read_responses(server.exchange(wrong + wrong));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[1].status, 405);
}

TEST(Events, have_a_head_that_keeps_them_moving) {
  EventsServer server;
  const std::string response = server.exchange(get("/two", "Last-Event-ID: 1\r\n"));
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
  for (const std::string_view line :
       {"Content-Type: text/event-stream\r\n", "Cache-Control: no-store\r\n"}) {
    EXPECT_TRUE(response.contains(line)) << response;
  }
  EXPECT_TRUE(response.contains("event: seen\ndata: 1\n\n")) << response;
  EXPECT_TRUE(response.contains("id: 2\ndata: a\ndata: b\n\n")) << response;
  EXPECT_TRUE(response.ends_with("\r\n0\r\n\r\n")) << response;
}

TEST(Events, a_silent_stream_opens_and_stays_alive) {
  EventsServer server;
  SimClient client = server.connect();
  client.send(get("/silent"));
  server.kernel.run_until_idle();
  EXPECT_EQ(client.take_received(), "");
  server.kernel.advance(milliseconds(110));
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.take_received().ends_with("\r\n2\r\n:\n\r\n"));
  server.kernel.advance(seconds(31));
  EXPECT_EQ(client.take_received(), "2\r\n:\n\r\n2\r\n:\n\r\n");
}

TEST(Events, a_handler_goes_when_its_client_goes) {
  EventsServer server;
  SimClient client = server.connect();
  client.send(get("/endless"));
  server.kernel.advance(seconds(1));
  EXPECT_EQ(server.service.counts.running, 1);
  EXPECT_GT(server.service.counts.sent, 90);
  client.reset();
  server.kernel.advance(milliseconds(50));
  EXPECT_EQ(server.service.counts.running, 0);
}

TEST(Events, a_handler_waits_for_a_client_that_does_not_read) {
  EventsServer server;
  SimClient client = server.connect();
  client.set_window(20'000);
  client.send(get("/endless"));
  server.kernel.advance(seconds(5));
  const int sent = server.service.counts.sent;
  EXPECT_LT(sent, 100) << "500 were due; what the client does not take is not made";
  client.set_window(10'000'000);
  (void)client.take_received();
  server.kernel.advance(seconds(1));
  EXPECT_GT(server.service.counts.sent, sent + 50) << "it goes on once the client reads";
}

TEST(JsonLinesResponse, is_one_value_per_line) {
  EventsServer server;
  const std::string response = server.exchange(get("/lines"));
  EXPECT_TRUE(response.contains("Content-Type: application/x-ndjson\r\n")) << response;
  EXPECT_TRUE(response.contains("1\n")) << response;
  EXPECT_TRUE(response.ends_with("3\n\r\n0\r\n\r\n")) << response;
}

}  // namespace
}  // namespace eider
