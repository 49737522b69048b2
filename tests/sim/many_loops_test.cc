// A server with 64 event loops: the messages between them per connection and request.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/eider.h"
#include "eider/middleware.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/testkit/log_lines.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

constexpr std::size_t kLoops = 64;
constexpr std::size_t kConnections = kLoops * 4;

struct Amount {
  int count = 0;
};

/// The loop to which the handler of /post sends a message, in the running test.
Loop* other_loop = nullptr;

void add_all(App& app) {
  const auto log = std::make_shared<LogLines>();
  app.log_to(log);
  app.use(request_id());
  app.observe(access_log(log, AccessFormat::json));
  app.use(rate_limit({.requests = 1'000'000}));
  app.use(concurrency_limit({.requests = 1000}));
  serve_metrics(app);
  app.get("/plain", [] { return "plain"; });
  app.post("/typed", [](Json<Amount> amount) { return Amount{.count = amount->count + 1}; });
  app.get("/post", [] {
    other_loop->post([] {});
    return "posted";
  });
}

using ManyLoops = SimAppServer<&add_all>;

std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

const std::string kTypedPost =
    "POST /typed HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    "Content-Length: 11\r\n\r\n{\"count\":1}";

/// Returns how often each loop has run. Simulated time does not advance, so a loop runs only for
/// its own connections or for a message of another loop.
std::vector<std::uint64_t> turns(ManyLoops& server) {
  std::vector<std::uint64_t> all;
  for (std::size_t index = 0; index < server.loop_count(); ++index) {
    all.push_back(turns_of(server.loop(index)).count());
  }
  return all;
}

/// Returns the number of loops that have run since `before`.
std::size_t loops_run(ManyLoops& server, const std::vector<std::uint64_t>& before) {
  const std::vector<std::uint64_t> now = turns(server);
  std::size_t count = 0;
  for (std::size_t index = 0; index < now.size(); ++index) {
    count += now[index] == before[index] ? 0U : 1U;
  }
  return count;
}

/// Sends a request and checks that the response has status 200 and contains `body`.
///
/// returns  the number of loops that have run for it
std::size_t loops_of_request(ManyLoops& server, SimClient& client, std::string_view request,
                             std::string_view body) {
  const std::vector<std::uint64_t> before = turns(server);
  client.send(request);
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.take_received());
  EXPECT_TRUE(responses.size() == 1 && responses[0].status == 200 &&
              responses[0].body.contains(body));
  return loops_run(server, before);
}

/// Connects clients one by one.
///
/// messages  is set to the number of connections that were handed over to another loop
std::vector<SimClient> connect_all(ManyLoops& server, std::size_t count, std::size_t& messages) {
  std::vector<SimClient> clients;
  messages = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const std::vector<std::uint64_t> before = turns(server);
    clients.push_back(server.connect());
    server.kernel.run_until_idle();
    const std::size_t loops = loops_run(server, before);
    EXPECT_TRUE(loops == 1 || loops == 2) << loops << " loops for a connection";
    messages += loops - 1;
  }
  return clients;
}

TEST(ManyLoops, a_request_runs_on_one_loop_alone) {
  ManyLoops server({}, kLoops);
  std::size_t handed_over = 0;
  std::vector<SimClient> clients = connect_all(server, kConnections, handed_over);
  RecordProperty("handed_over", std::to_string(handed_over));
  EXPECT_LE(handed_over, kConnections / 2);
  for (SimClient& client : clients) {
    EXPECT_EQ(loops_of_request(server, client, get("/plain"), "plain"), 1U);
    EXPECT_EQ(loops_of_request(server, client, kTypedPost, "{\"count\":2}"), 1U);
  }
  EXPECT_EQ(loops_of_request(server, clients.front(), get("/metrics"), "http_requests_total"), 1U);
  for (std::size_t index = 0; index < kLoops; ++index) {
    EXPECT_GE(server.worker(index).requests(), 8U) << "loop " << index << " serves, too";
  }
  for (SimClient& client : clients) {
    const std::vector<std::uint64_t> before = turns(server);
    client.close();
    server.kernel.run_until_idle();
    EXPECT_EQ(loops_run(server, before), 1U) << "so does the end of a connection";
  }
}

TEST(ManyLoops, a_message_of_a_handler_is_counted) {
  ManyLoops server({}, 2);
  std::size_t handed_over = 0;
  std::vector<SimClient> clients = connect_all(server, 2, handed_over);
  ASSERT_EQ(server.balance.count(0), 1U);
  other_loop = &server.loop(0);
  std::size_t loops = 0;
  for (SimClient& client : clients) {
    loops += loops_of_request(server, client, get("/post"), "posted");
  }
  EXPECT_EQ(loops, 3U) << "loop 0 posts to itself, and loop 1 to loop 0";
}

}  // namespace
}  // namespace eider
