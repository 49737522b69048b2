// A service with startup and shutdown functions, on real loops.
#include "eider/server/lifecycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/sleep.h"
#include "eider/server/server.h"
#include "tests/support/real_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// Records its calls in order; "/" waits until `may_respond`.
class StagedService final : public RequestService {
 public:
  Task<Result<void>> start() override {
    note("start");
    while (!may_start.load()) {
      co_await sleep_for(milliseconds(1));
    }
    note("started");
    co_return refusal.empty() ? Result<void>() : fail(Error::internal(refusal));
  }
  void begin() noexcept override { note("begin"); }
  void leave() noexcept override { note("leave"); }
  void drain() noexcept override { note("drain"); }
  Task<> end() override {
    note("end");
    co_await sleep_for(milliseconds(1));
  }
  Task<> stop() override {
    co_await sleep_for(milliseconds(1));
    note("stop");
  }
  RequestPlan plan(Request&) noexcept override { return {.endpoint = this, .waits = true}; }
  void respond(const RequestPlan&, Request&, Response&) noexcept override {}
  Task<> respond_later(const RequestPlan&, Request&, Response& response, const Ongoing&) override {
    note("asked");
    while (!may_respond.load()) {
      co_await sleep_for(milliseconds(1));
    }
    note("answer");
    response.set_body("x");
  }
  void respond_failed(const Request&, Response*, std::exception_ptr) noexcept override {}
  void refuse(int, std::string_view, Response&) noexcept override {}

  [[nodiscard]] std::vector<std::string> notes() const {
    const std::lock_guard noting(noting_);
    return notes_;
  }
  /// Waits at most a minute until the call has been recorded.
  void await(const std::string& what) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::ranges::count(notes(), what) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << what;
      std::this_thread::yield();
    }
  }

  std::atomic<bool> may_start = true;
  std::atomic<bool> may_respond = true;
  std::string refusal;

 private:
  void note(std::string what) noexcept {
    const std::lock_guard noting(noting_);
    notes_.push_back(std::move(what));
  }

  mutable std::mutex noting_;
  std::vector<std::string> notes_;
};

class LifecycleTest : public ::testing::TestWithParam<Backend> {
 protected:
  [[nodiscard]] std::unique_ptr<Server> server(unsigned threads = 1, Duration leave = {}) {
    return std::make_unique<Server>(service, ServerOptions{.port = 0,
                                                           .threads = threads,
                                                           .backend = GetParam(),
                                                           .shutdown_delay = leave,
                                                           .drain = seconds(10)});
  }

  StagedService service;
};

INSTANTIATE_TEST_SUITE_P(Backends, LifecycleTest,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return backend.param == Backend::epoll ? "epoll" : "io_uring";
                         });

TEST_P(LifecycleTest, starts_begins_ends_and_stops_in_this_order) {
  const auto serving = server(2);
  ASSERT_TRUE(serving->start());
  service.await("begin");
  serving->stop();
  EXPECT_TRUE(serving->wait());
  std::vector<std::string> notes = service.notes();
  EXPECT_EQ(std::erase(notes, "leave"), 2U);  // one for each loop, before its drain
  EXPECT_EQ(notes, (std::vector<std::string>{"start", "started", "begin", "begin", "drain", "drain",
                                             "end", "end", "stop"}));
}

TEST_P(LifecycleTest, lets_everybody_in_while_it_leaves) {
  const auto serving = server(2, std::chrono::hours(1));
  ASSERT_TRUE(serving->start());
  serving->stop();
  service.await("leave");
  EXPECT_TRUE(serving->is_stopping());
  testing::BlockingClient client(serving->port());
  client.send(kGet);
  EXPECT_TRUE(client.read_until("\r\n\r\nx").starts_with("HTTP/1.1 200 "));
  EXPECT_EQ(std::ranges::count(service.notes(), "drain"), 0);
  serving->stop();  // a second call does not wait longer
  service.await("drain");
  client.close();
  EXPECT_TRUE(serving->wait());
}

TEST_P(LifecycleTest, leaves_for_so_long_and_not_at_all_when_it_is_to_stop_now) {
  const auto serving = server(1, milliseconds(20));
  ASSERT_TRUE(serving->start());
  serving->stop();
  EXPECT_TRUE(serving->wait());
  const auto in_a_hurry = server(1, std::chrono::hours(1));
  ASSERT_TRUE(in_a_hurry->start());
  in_a_hurry->stop_now();
  EXPECT_TRUE(in_a_hurry->wait());
}

TEST_P(LifecycleTest, answers_those_that_have_connected_while_it_starts) {
  service.may_start = false;
  const auto serving = server(2);
  std::thread starting([&] { EXPECT_TRUE(serving->start()); });
  service.await("start");
  std::vector<testing::BlockingClient> clients;
  for (int count = 0; count < 8; ++count) {
    clients.emplace_back(serving->port());
    clients.back().send(kGet);
  }
  EXPECT_EQ(service.notes(), std::vector<std::string>{"start"});
  service.may_start = true;
  for (testing::BlockingClient& client : clients) {
    EXPECT_TRUE(client.read_until("\r\n\r\nx").starts_with("HTTP/1.1 200 "));
  }
  starting.join();
  serving->stop();
  EXPECT_TRUE(serving->wait());
}

TEST_P(LifecycleTest, does_not_open_when_the_service_does_not_start) {
  service.refusal = "no database";
  const auto serving = server(2);
  const auto started = serving->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().cause(), "no database");
  EXPECT_TRUE(serving->is_stopping());
  EXPECT_TRUE(serving->wait());
  EXPECT_EQ(service.notes(), (std::vector<std::string>{"start", "started", "stop"}));
}

TEST_P(LifecycleTest, gives_a_start_up_when_it_is_stopped_meanwhile) {
  service.may_start = false;
  const auto serving = server(2);
  std::thread starting([&] { EXPECT_TRUE(serving->start()); });
  service.await("start");
  serving->stop();
  starting.join();
  EXPECT_TRUE(serving->is_stopping());
  EXPECT_TRUE(serving->wait());
  EXPECT_EQ(service.notes(), (std::vector<std::string>{"start", "stop"}));
}

TEST_P(LifecycleTest, stops_the_service_behind_the_last_response_on_any_loop) {
  service.may_respond = false;
  const auto serving = server(3);
  ASSERT_TRUE(serving->start());
  testing::BlockingClient client(serving->port());
  client.send(kGet);
  service.await("asked");
  serving->stop();
  testing::BlockingClient::await_refusal(serving->port());
  EXPECT_EQ(std::ranges::count(service.notes(), "end"), 0);
  service.may_respond = true;
  EXPECT_TRUE(client.read_until("\r\n\r\nx").starts_with("HTTP/1.1 200 "));
  client.close();
  EXPECT_TRUE(serving->wait());
  std::vector<std::string> notes = service.notes();
  std::erase(notes, "leave");
  std::erase(notes, "drain");
  const std::vector<std::string> last(notes.end() - 5, notes.end());
  EXPECT_EQ(last, (std::vector<std::string>{"answer", "end", "end", "end", "stop"}));
}

TEST_P(LifecycleTest, is_stopped_again_and_again) {
  const auto serving = server(2);
  ASSERT_TRUE(serving->start());
  serving->stop();
  serving->stop();
  serving->stop_now();
  EXPECT_TRUE(serving->wait());
  serving->stop();
  EXPECT_EQ(std::ranges::count(service.notes(), "stop"), 1);
}

TEST_P(LifecycleTest, may_be_destroyed_without_being_started_or_stopped) {
  {
    const auto never_started = server();
  }
  EXPECT_TRUE(service.notes().empty());
  {
    const auto serving = server(2);
    ASSERT_TRUE(serving->start());
  }
  EXPECT_EQ(service.notes().back(), "stop");
}

}  // namespace
}  // namespace eider
