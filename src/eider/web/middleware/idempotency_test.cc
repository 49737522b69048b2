#include "eider/web/middleware/idempotency.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/auth.h"
#include "eider/web/middleware/keyed_responses.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using detail::middleware::KeyedResponse;
using detail::middleware::KeyedResponses;
using Standing = KeyedResponses::Standing;
namespace h2 = detail::http2::test;

/// The number of calls of handlers, and the status that they return.
int posted = 0;
int posted_status = 201;

Response made_once() {
  return Response::text(std::to_string(++posted), posted_status).add_header("Location", "/made");
}

void add_posted(Routes at) {
  at.post("/x", [](Body) { return made_once(); });
  at.patch("/x", [](Body) { return made_once(); });
  at.put("/x", [](Body) { return made_once(); });
  at.get("/x", [] { return made_once(); });
  at.post("/large", [] { return std::string(std::to_string(++posted).append(2000, 'a')); });
  at.post("/streamed", [](ResponseStream out) -> Task<> {
    ++posted;
    co_await out.write("streamed");
  });
  at.post("/breaks", [](ResponseStream out) -> Task<> {
    ++posted;
    if (posted_status >= 400) {
      throw Failure(Error(posted_status, "No."));
    }
    co_await out.write("first");
    throw std::runtime_error("behind the first byte");
  });
  at.post("/says", [](ResponseStream out) -> Task<> {
    ++posted;
    out.head().set_status(posted_status);
    co_return;
  });
  at.post("/waits", [](ResponseStream out) -> Task<> {
    ++posted;
    co_await sleep_for(1s);
    co_await out.write("late");
  });
  at.post("/slow", []() -> Task<std::string> {
    co_await sleep_for(1s);
    co_return std::to_string(++posted);
  });
}

void add_keyed(App& app) {
  add_posted(app.use(idempotency_keys({.response_bytes_max = 1000})));
}

class IdempotencyTest : public ::testing::Test {
 public:
  explicit IdempotencyTest(IdempotencyKeys options = {.response_bytes_max = 1000}) {
    posted = 0;
    posted_status = 201;
    app_.use(idempotency_keys(options));
    add_posted(app_);
    Routes known = app_.group("/known");
    known.guard(bearer_auth({.tokens = {{"a", {.name = "ann"}}, {"b", {.name = "bob"}}}}));
    add_posted(known);
    client_ = std::make_unique<TestClient>(app_);
  }
  TestResponse post(std::string_view key, std::string body = "content", std::string target = "/x",
                    std::vector<TestHeader> more = {}, Method method = Method::post) {
    more.emplace_back("Idempotency-Key", key);
    return client_->send({.method = method, .target = target, .headers = more, .body = body});
  }
  TestClient& client() { return *client_; }

 private:
  App app_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(IdempotencyTest, the_same_request_is_done_once_and_answered_alike) {
  const TestResponse first = post("\"k-1\"");
  EXPECT_EQ(first.status, 201);
  EXPECT_FALSE(first.header("Idempotent-Replayed"));
  for (const std::string_view spelled : {"\"k-1\"", "k-1"}) {
    const TestResponse again = post(spelled);
    EXPECT_EQ(again.status, 201);
    EXPECT_EQ(again.body, "1");
    EXPECT_EQ(again.header("Location"), "/made");
    EXPECT_EQ(again.header("Content-Type"), first.header("Content-Type"));
    EXPECT_EQ(again.header("Idempotent-Replayed"), "true");
  }
  EXPECT_EQ(post("k-2").body, "2");
  EXPECT_EQ(post("k-3", "content", "/x", {}, Method::patch).body, "3");
  EXPECT_EQ(post("k-3", "content", "/x", {}, Method::patch).body, "3");
}

TEST_F(IdempotencyTest, another_request_with_the_key_is_a_422) {
  EXPECT_EQ(post("k").status, 201);
  EXPECT_EQ(post("k", "other").status, 422);
  EXPECT_EQ(post("k", "content", "/x?a").status, 422);
  EXPECT_EQ(post("k", "content", "/large").status, 422);
  EXPECT_EQ(post("k", "content", "/x", {{"Content-Type", "text/csv"}}).status, 422);
  EXPECT_EQ(post("k", "content", "/x", {}, Method::patch).status, 422);
  EXPECT_EQ(post("k").body, "1");
  EXPECT_EQ(posted, 1);
}

TEST_F(IdempotencyTest, what_needs_no_key_has_none) {
  EXPECT_EQ(client().get("/x").body, "1");
  EXPECT_EQ(client().post("/x", {}).body, "2");
  EXPECT_EQ(post("k", "content", "/x", {}, Method::put).body, "3");
  EXPECT_EQ(post("k", "content", "/x", {}, Method::put).body, "4");
}

TEST_F(IdempotencyTest, keys_that_are_none_are_a_400) {
  const std::string longest(255, 'k');
  EXPECT_EQ(post(longest).status, 201);
  EXPECT_EQ(post("\"" + longest + "\"").header("Idempotent-Replayed"), "true");
  for (const std::string& key :
       {longest + "k", std::string(), std::string("\"\""), std::string("\""), std::string("a b"),
        std::string("\"a\";b=1"), std::string("\"a\\\"b\""), std::string("ü")}) {
    EXPECT_EQ(post(key).status, 400) << key;
  }
  EXPECT_EQ(post("a", "content", "/x", {{"Idempotency-Key", "a"}}).status, 400);
  EXPECT_EQ(posted, 1);
}

TEST_F(IdempotencyTest, one_client_never_gets_the_response_of_another) {
  const auto ask = [this](std::string_view token) {
    return post("k", "content", "/known/x", {{"Authorization", token}}).body;
  };
  EXPECT_EQ(ask("Bearer a"), "1");
  EXPECT_EQ(ask("Bearer b"), "2");
  EXPECT_EQ(ask("Bearer a"), "1");
  EXPECT_EQ(post("k", "content", "/known/x").status, 401);
  EXPECT_EQ(post("k", "content", "/x", {{"Cookie", "sid=1"}}).body, "3");
  EXPECT_EQ(post("k", "content", "/x", {{"Cookie", "sid=2"}}).body, "4");
  EXPECT_EQ(post("k", "content", "/x", {{"Authorization", "sid=2"}}).body, "5");
}

TEST_F(IdempotencyTest, a_response_that_lets_try_again_frees_the_key) {
  for (const int failed : {500, 503, 401, 403, 408, 425, 429}) {
    const int before = posted;
    posted_status = failed;
    EXPECT_EQ(post(std::to_string(failed)).status, failed);
    posted_status = 201;
    EXPECT_EQ(post(std::to_string(failed)).status, 201);
    EXPECT_EQ(posted, before + 2);
  }
  posted_status = 409;
  EXPECT_EQ(post("k").status, 409);
  posted_status = 201;
  EXPECT_EQ(post("k").status, 409);
}

TEST_F(IdempotencyTest, what_is_not_kept_is_not_done_twice_either) {
  EXPECT_EQ(post("k", "", "/large").status, 200);
  EXPECT_EQ(post("k", "", "/large").status, 409);
  EXPECT_EQ(post("s", "", "/streamed").body, "streamed");
  EXPECT_EQ(post("s", "", "/streamed").status, 409);
  EXPECT_EQ(posted, 2);
}

TEST_F(IdempotencyTest, a_streamed_response_that_fails_ahead_of_its_first_byte_frees_the_key) {
  for (const int failed : {500, 503, 422}) {
    posted_status = failed;
    EXPECT_EQ(post(std::to_string(failed), "", "/breaks").status, failed);
    EXPECT_EQ(post(std::to_string(failed), "", "/breaks").status, failed);
  }
  EXPECT_EQ(posted, 6);
  posted_status = 503;
  EXPECT_EQ(post("k", "", "/says").status, 503);
  posted_status = 201;
  EXPECT_EQ(post("k", "", "/says").status, 201);
  EXPECT_EQ(post("k", "", "/says").status, 409);
  EXPECT_EQ(posted, 8);
}

TEST_F(IdempotencyTest, a_response_is_forgotten_when_its_time_is_over) {
  EXPECT_EQ(post("k").body, "1");
  client().advance(23h);
  EXPECT_EQ(post("k").body, "1");
  client().advance(1h);
  EXPECT_EQ(post("k").body, "2");
}

class SmallShareTest : public IdempotencyTest {
 public:
  SmallShareTest() : IdempotencyTest({.bytes_max = 20'000}) {}
};

TEST_F(SmallShareTest, many_names_that_nobody_has_proven_push_out_nobody_that_is_known) {
  EXPECT_EQ(post("k", "", "/known/x", {{"Authorization", "Bearer a"}}).body, "1");
  for (int name = 0; name < 200; ++name) {
    const std::string authorization = std::to_string(name);
    EXPECT_EQ(post("k", "", "/x", {{"Authorization", authorization}}).status, 201);
  }
  EXPECT_EQ(post("k", "", "/known/x", {{"Authorization", "Bearer a"}}).body, "1");
  EXPECT_EQ(post("k", "", "/x", {{"Authorization", "0"}}).body, "202");
}

class RequiredKeyTest : public IdempotencyTest {
 public:
  RequiredKeyTest()
      : IdempotencyTest(
            {.keys_max_per_client = 2, .is_required = true, .client = [](const Request& request) {
               return std::string(request.header("X-Client").value_or(""));
             }}) {}
};

TEST_F(RequiredKeyTest, a_request_without_is_a_400_that_says_so) {
  const TestResponse reply = client().post("/x", {});
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.problem().detail.find("Idempotency-Key"), std::string::npos);
  EXPECT_EQ(client().get("/x").body, "1");
}

TEST_F(RequiredKeyTest, many_keys_of_one_client_push_out_its_own_alone) {
  EXPECT_EQ(post("k", "", "/x", {{"X-Client", "ann"}}).body, "1");
  for (int key = 0; key < 50; ++key) {
    EXPECT_EQ(post(std::to_string(key), "", "/x", {{"X-Client", "bob"}}).status, 201);
  }
  EXPECT_EQ(post("k", "", "/x", {{"X-Client", "ann"}}).body, "1");
  EXPECT_EQ(post("49", "", "/x", {{"X-Client", "bob"}}).body, "51");
  EXPECT_EQ(post("0", "", "/x", {{"X-Client", "bob"}}).body, "52");
}

std::string keyed_post(std::string_view target) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 0\r\n\r\n";
}

TEST(Idempotency, gives_nobody_a_cookie_that_was_set_for_another_behind_the_same_address) {
  App app;
  app.use(idempotency_keys());
  app.post("/cart", [](Body) {
    return Response::text("in the cart")
        .add_header("Set-Cookie", "sid=1")
        .add_header("X-Kept", "1");
  });
  TestClient client(app);
  const auto post = [&client](std::vector<TestHeader> headers) {
    headers.push_back({"Idempotency-Key", "one"});
    return client.send({.method = Method::post, .target = "/cart", .headers = std::move(headers)});
  };
  EXPECT_EQ(post({}).header("Set-Cookie"), "sid=1");
  const TestResponse again = post({});
  EXPECT_EQ(again.header("Idempotent-Replayed"), "true");
  EXPECT_EQ(again.header("X-Kept"), "1");
  EXPECT_EQ(again.header("Set-Cookie"), std::nullopt);
}

TEST(Idempotency, of_two_at_once_the_second_is_told_that_the_first_is_at_work) {
  posted = 0;
  SimAppServer<&add_keyed> server;
  SimClient first = server.connect();
  first.send(keyed_post("/slow"));
  server.kernel.advance(100ms);
  SimClient second = server.connect();
  second.send(keyed_post("/slow"));
  server.kernel.advance(100ms);
  EXPECT_TRUE(second.take_received().starts_with("HTTP/1.1 409"));
  server.kernel.advance(1s);
  EXPECT_TRUE(first.take_received().starts_with("HTTP/1.1 200"));
  second.send(keyed_post("/slow"));
  server.kernel.advance(10ms);
  EXPECT_NE(second.take_received().find("Idempotent-Replayed: true"), std::string::npos);
  EXPECT_EQ(posted, 1);
}

/// Returns the response to a repeated request, after the first client disconnected before its
/// response was complete.
std::string asked_again_behind_one_that_left(SimAppServer<&add_keyed>& server,
                                             std::string_view target) {
  {
    SimClient gone = server.connect();
    gone.send(keyed_post(target));
    server.kernel.advance(100ms);
    gone.reset();
    server.kernel.advance(100ms);
  }
  SimClient client = server.connect();
  client.send(keyed_post(target));
  server.kernel.advance(2s);
  return client.take_received();
}

TEST(Idempotency, what_was_begun_for_a_client_that_left_is_not_begun_again) {
  for (const std::string_view target : {"/slow", "/waits"}) {
    SimAppServer<&add_keyed> server;
    posted = 0;
    const std::string received = asked_again_behind_one_that_left(server, target);
    EXPECT_TRUE(received.starts_with("HTTP/1.1 409")) << received;
    EXPECT_NE(received.find("its outcome is unknown"), std::string::npos) << received;
    EXPECT_EQ(posted, target == "/waits" ? 1 : 0);
    // As long as responses are stored.
    server.kernel.advance(23h);
    SimClient later = server.connect();
    later.send(keyed_post(target));
    server.kernel.advance(2s);
    EXPECT_TRUE(later.take_received().starts_with("HTTP/1.1 409"));
    server.kernel.advance(1h);
    SimClient latest = server.connect();
    latest.send(keyed_post(target));
    server.kernel.advance(2s);
    EXPECT_TRUE(latest.take_received().starts_with("HTTP/1.1 200"));
  }
}

TEST(Idempotency, a_streamed_response_that_broke_off_is_not_begun_again) {
  posted = 0;
  posted_status = 200;
  SimAppServer<&add_keyed> server;
  SimClient cut = server.connect();
  cut.send(keyed_post("/breaks"));
  server.kernel.advance(10ms);
  EXPECT_NE(cut.take_received().find("first"), std::string::npos);
  SimClient client = server.connect();
  client.send(keyed_post("/breaks"));
  server.kernel.advance(10ms);
  EXPECT_TRUE(client.take_received().starts_with("HTTP/1.1 409"));
  EXPECT_EQ(posted, 1);
}

TEST(Idempotency, holds_over_both_protocols_and_all_streams) {
  posted = 0;
  h2::H2ServerOf<SimApp<&add_keyed>> server;
  const auto ask = [](std::uint32_t stream) {
    return h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, stream,
                     h2::head("POST", "/slow") + h2::literal("idempotency-key", "k"));
  };
  SimClient client = server.connect(ask(1) + ask(3));
  server.kernel.advance(2s);
  client.send(ask(5));
  server.kernel.advance(10ms);
  const std::string received = client.take_received();
  EXPECT_EQ(h2::received_on(received, 1).content, "1");
  EXPECT_NE(h2::received_on(received, 3).content.find("\"status\":409"), std::string::npos);
  EXPECT_EQ(h2::received_on(received, 5).content, "1");
}

KeyedResponses::Key keyed(std::uint64_t client, std::uint64_t key) {
  return {.client = {client, 0}, .key = {key, 0}};
}

void respond(KeyedResponses& responses, const KeyedResponses::Key& key, std::size_t body_bytes) {
  ASSERT_EQ(responses.begin(key, {}, Instant()).standing, Standing::begun);
  responses.end(
      key,
      std::make_shared<const KeyedResponse>(KeyedResponse{
          .status = 200, .type = "", .field_lines = "", .body = std::string(body_bytes, 'a')}),
      Instant());
}

TEST(KeyedResponses, of_a_client_with_large_ones_push_out_its_own) {
  KeyedResponses responses(
      {.bytes_max = 1'000'000, .bytes_max_per_client = 100'000, .keys_max_per_client = 1000}, 1h);
  respond(responses, keyed(1, 1), 100);
  for (std::uint64_t key = 0; key < 300; ++key) {
    respond(responses, keyed(2, key), 20'000);
    ASSERT_LE(responses.bytes(), 102'000U);
  }
  EXPECT_EQ(responses.begin(keyed(1, 1), {}, Instant()).standing, Standing::answered);
  EXPECT_EQ(responses.begin(keyed(2, 299), {}, Instant()).standing, Standing::answered);
  EXPECT_EQ(responses.begin(keyed(2, 0), {}, Instant()).standing, Standing::begun);
}

TEST(KeyedResponses, of_those_that_have_little_go_by_age_whatever_their_size) {
  KeyedResponses responses(
      {.bytes_max = 20'000, .bytes_max_per_client = 20'000, .keys_max_per_client = 1000}, 1h);
  for (std::uint64_t client = 0; client < 100; ++client) {
    respond(responses, keyed(client, 1), client);
  }
  EXPECT_EQ(responses.begin(keyed(99, 1), {}, Instant()).standing, Standing::answered);
  EXPECT_EQ(responses.begin(keyed(0, 1), {}, Instant()).standing, Standing::begun);
}

TEST(KeyedResponses, of_whoever_has_most_go_first) {
  KeyedResponses responses(
      {.bytes_max = 100'000, .bytes_max_per_client = 30'000, .keys_max_per_client = 1000}, 1h);
  respond(responses, keyed(1, 1), 100);
  for (std::uint64_t client = 2; client < 12; ++client) {
    for (std::uint64_t key = 0; key < 10; ++key) {
      respond(responses, keyed(client, key), 2'000);
      ASSERT_LE(responses.bytes(), 100'000U);
    }
  }
  EXPECT_EQ(responses.begin(keyed(1, 1), {}, Instant()).standing, Standing::answered);
}

TEST(KeyedResponses, take_no_more_memory_than_they_may) {
  constexpr std::size_t kBytesMax = 20'000;
  KeyedResponses responses(
      {.bytes_max = kBytesMax, .bytes_max_per_client = kBytesMax, .keys_max_per_client = 1000}, 1h);
  const Instant now{};
  for (std::uint64_t number = 0; number < 1000; ++number) {
    ASSERT_EQ(responses.begin(keyed(number, 1), {}, now).standing, Standing::begun);
    responses.end(keyed(number, 1),
                  std::make_shared<const KeyedResponse>(KeyedResponse{
                      .status = 200, .type = "", .field_lines = "", .body = std::string(500, 'a')}),
                  now);
    ASSERT_LE(responses.bytes(), kBytesMax);
    ASSERT_LE(responses.size(), kBytesMax / 500);
  }
  EXPECT_EQ(responses.begin(keyed(999, 1), {}, now).standing, Standing::answered);
  EXPECT_EQ(responses.begin(keyed(0, 1), {}, now).standing, Standing::begun);
  responses.free(keyed(0, 1));
  EXPECT_EQ(responses.begin(keyed(1000, 1), {}, now + 1h).standing, Standing::begun);
  EXPECT_EQ(responses.bytes(), 0U);
  EXPECT_EQ(responses.size(), 1U);
}

TEST(KeyedResponses, never_forget_what_is_at_work) {
  KeyedResponses responses({.bytes_max = 1, .bytes_max_per_client = 1, .keys_max_per_client = 1},
                           1h);
  const Instant now{};
  EXPECT_EQ(responses.begin(keyed(1, 1), {}, now).standing, Standing::begun);
  for (std::uint64_t key = 2; key < 10; ++key) {
    EXPECT_EQ(responses.begin(keyed(1, key), {}, now).standing, Standing::begun);
    responses.end(keyed(1, key), std::make_shared<const KeyedResponse>(), now);
  }
  EXPECT_EQ(responses.begin(keyed(1, 1), {}, now + 2h).standing, Standing::at_work);
}

}  // namespace
}  // namespace eider
