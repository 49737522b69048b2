#include "eider/app/handlers/producing.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

Task<> count_to(int last, ResponseStream out) {
  out.head().set_static_type(kTextPlain);
  for (int number = 1; number <= last; ++number) {
    const std::string line = std::to_string(number) + "\n";
    co_await out.write(line);
    co_await sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(Producing, a_handler_writes_its_response_while_it_runs) {
  App app;
  app.get("/count/{last}", count_to);
  TestClient client(app);
  const TestResponse reply = client.get("/count/3");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "1\n2\n3\n");
  EXPECT_EQ(reply.header("Content-Type"), kTextPlain);
  EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
}

TEST(Producing, no_type_is_told_to_head_that_only_the_handler_knows) {
  App app;
  app.get("/count/{last}", count_to);
  app.get("/bytes", [](ResponseStream out) -> Task<> { co_await out.write("\1\2"); });
  TestClient client(app);
  for (const char* target : {"/count/3", "/bytes"}) {
    const TestResponse head = client.head(target);
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.header("Content-Type"), std::nullopt);
  }
  EXPECT_EQ(client.get("/bytes").header("Content-Type"), "application/octet-stream");
}

TEST(Producing, arguments_are_checked_before_anything_is_written) {
  App app;
  app.get("/count/{last}", count_to);
  TestClient client(app);
  EXPECT_EQ(client.get("/count/x").status, 400);
}

TEST(Producing, hooks_see_the_head_before_it_leaves) {
  App app;
  app.on_response([](const Request&, Response& response) { response.add_header("Seen", "yes"); });
  app.use([](Request&, Next next) -> Task<Response> {
    Response response = co_await next();
    response.add_header("Around", "yes");
    co_return response;
  });
  app.get("/count/{last}", count_to);
  TestClient client(app);
  const TestResponse reply = client.get("/count/2");
  EXPECT_EQ(reply.header("Seen"), "yes");
  EXPECT_EQ(reply.header("Around"), "yes");
  EXPECT_EQ(reply.body, "1\n2\n");
}

TEST(Producing, arguments_live_as_long_as_the_handler) {
  App app;
  app.get("/echo/{text}",
          [](std::string_view text, const Request& request, ResponseStream out) -> Task<> {
            co_await sleep_for(std::chrono::milliseconds(5));
            const std::string line = std::string(text) + " " + std::string(request.target());
            co_await out.write(line);
          });
  TestClient client(app);
  EXPECT_EQ(client.get("/echo/abc?d").body, "abc /echo/abc?d");
}

TEST(Producing, what_is_thrown_before_the_first_byte_is_answered) {
  App app;
  app.get("/absent", [](ResponseStream) -> Task<> {
    throw Failure(Error::not_found("no such export"));
    co_return;
  });
  app.get("/broken", [](ResponseStream) -> Task<> {
    throw std::runtime_error("not for the client");
    co_return;
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/absent").status, 404);
  EXPECT_EQ(client.get("/absent").problem().detail, "no such export");
  const TestResponse broken = client.get("/broken");
  EXPECT_EQ(broken.status, 500);
  EXPECT_FALSE(broken.body.contains("not for the client"));
}

TEST(Producing, a_result_may_be_streamed) {
  App app;
  app.get("/rows/{count}", [](int count) {
    Streamed rows("text/csv", [count](ResponseStream out) -> Task<> {
      for (int row = 0; row < count; ++row) {
        const std::string line = std::to_string(row) + ",x\n";
        co_await out.write(line);
      }
    });
    rows.head().add_header("Content-Disposition", "attachment; filename=\"rows.csv\"");
    return rows;
  });
  TestClient client(app);
  const TestResponse reply = client.get("/rows/2");
  EXPECT_EQ(reply.header("Content-Type"), "text/csv");
  EXPECT_EQ(reply.header("Content-Disposition"), "attachment; filename=\"rows.csv\"");
  EXPECT_EQ(reply.body, "0,x\n1,x\n");
}

TEST(Producing, a_head_that_is_flushed_does_not_wait_for_content) {
  App app;
  app.get("/", [](ResponseStream out) -> Task<> {
    out.head().set_type("text/csv");
    out.flush();
    out.flush();
    co_await sleep_for(std::chrono::hours(1));
  });
  TestClient client(app);
  const std::string told = client.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(told.starts_with("HTTP/1.1 200 ")) << told;
  EXPECT_NE(told.find("Content-Type: text/csv\r\n"), std::string::npos) << told;
  EXPECT_TRUE(told.ends_with("\r\n\r\n")) << told;
}

TEST(Producing, trailers_come_behind) {
  App app;
  app.get("/", [](ResponseStream out) -> Task<> {
    co_await out.write("x");
    out.add_trailer("Sum", "1");
  });
  TestClient client(app);
  EXPECT_TRUE(client.raw("GET / HTTP/1.1\r\nHost: a\r\n\r\n").ends_with("0\r\nSum: 1\r\n\r\n"));
}

TEST(Producing, a_body_may_be_read_and_answered_at_once) {
  App app;
  app.post("/upper", [](BodyStream body, ResponseStream out) -> Task<> {
    std::string upper;
    while (auto part = co_await body.next()) {
      upper.assign(*part);
      for (char& letter : upper) {
        letter = static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 32 : letter);
      }
      co_await out.write(upper);
    }
  });
  TestClient client(app);
  const TestResponse reply =
      client.send({.method = Method::post, .target = "/upper", .body = "some words"});
  EXPECT_EQ(reply.body, "SOME WORDS");
  EXPECT_EQ(client.get("/").status, 404);  // on the same connection
}

TEST(BodyStream, is_collected_up_to_a_bound) {
  App app;
  app.post("/size", [](BodyStream body) -> Task<std::size_t> {
    const std::string all = co_await body.collect(10);
    co_return all.size();
  });
  TestClient client(app);
  EXPECT_EQ(client.send({.method = Method::post, .target = "/size", .body = "0123456789"}).body,
            "10");
  EXPECT_EQ(client.send({.method = Method::post, .target = "/size", .body = "01234567890"}).status,
            413);
}

TEST(EarlyHints, come_ahead_of_the_response) {
  App app;
  app.get("/plain", [](EarlyHints hints) {
    hints.link("</a.css>; rel=preload; as=style").send();
    return "done";
  });
  app.get("/waits", [](EarlyHints hints) -> Task<std::string> {
    hints.link("</a.css>; rel=preload").link("</b.js>; rel=preload").send();
    co_await sleep_for(std::chrono::milliseconds(0));
    co_return "done";
  });
  TestClient client(app);
  EXPECT_TRUE(client.raw("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n")
                  .starts_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload; "
                               "as=style\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(client.raw("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n").contains("Link: </b.js>"));
  EXPECT_EQ(client.get("/waits").body, "done");
}

void add_both_ways(App& app) {
  app.post("/first-write", [](BodyStream body, ResponseStream out) -> Task<> {
    co_await out.write("begun,");
    const auto part = co_await body.next();
    co_await out.write(part.value_or("nothing"));
  });
  app.post("/first-read", [](BodyStream body, ResponseStream out) -> Task<> {
    const auto part = co_await body.next();
    co_await out.write(part.value_or("nothing"));
  });
}

// An interim response in the middle of the body would corrupt it.
TEST(Producing, nothing_is_said_of_100_continue_once_the_response_has_begun) {
  SimAppServer<&add_both_ways> server;
  const std::string head =
      " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  SimClient writer = server.connect();
  writer.send("POST /first-write" + head);
  server.kernel.run_until_idle();
  writer.send("hello");
  server.kernel.run_until_idle();
  EXPECT_TRUE(writer.received().starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(writer.received().ends_with("\r\n\r\n6\r\nbegun,\r\n5\r\nhello\r\n0\r\n\r\n"))
      << writer.received();
  SimClient reader = server.connect();
  reader.send("POST /first-read" + head);
  server.kernel.run_until_idle();
  EXPECT_EQ(reader.take_received(), "HTTP/1.1 100 Continue\r\n\r\n");
  reader.send("hello");
  server.kernel.run_until_idle();
  EXPECT_TRUE(reader.received().ends_with("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
}

}  // namespace
}  // namespace eider
