// A service that has something to start and to stop, on real loops.
#include "eider/server/lifecycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eider/runtime/sleep.h"
#include "eider/server/server.h"
#include "tests/support/real_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// Notes what it is told in order; "/" waits until `may_answer`.
class StagedService final : public Service {
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
  void drain() noexcept override { note("drain"); }
  Task<> end() override {
    note("end");
    co_await sleep_for(milliseconds(1));
  }
  Task<> stop() override {
    co_await sleep_for(milliseconds(1));
    note("stop");
  }
  Plan plan(Request&) noexcept override { return {.endpoint = this, .waits = true}; }
  void answer(const Plan&, Request&, Response&) noexcept override {}
  Task<> answer_later(const Plan&, Request&, Response& response, const Ongoing&) override {
    note("asked");
    while (!may_answer.load()) {
      co_await sleep_for(milliseconds(1));
    }
    note("answer");
    response.set_body("x");
  }
  void answer_failed(const Request&, Response*, std::exception_ptr) noexcept override {}
  void refuse(int, std::string_view, Response&) noexcept override {}

  [[nodiscard]] std::vector<std::string> notes() const {
    const std::lock_guard noting(noting_);
    return notes_;
  }
  /// Waits, for ten seconds at most, until that has been noted.
  void await(const std::string& what) const {
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (std::ranges::count(notes(), what) == 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << what;
      std::this_thread::yield();
    }
  }

  std::atomic<bool> may_start = true;
  std::atomic<bool> may_answer = true;
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
  [[nodiscard]] std::unique_ptr<Server> server(unsigned threads = 1) {
    return std::make_unique<Server>(
        service,
        ServerOptions{.port = 0, .threads = threads, .backend = GetParam(), .drain = seconds(10)});
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
  EXPECT_EQ(service.notes(), (std::vector<std::string>{"start", "started", "begin", "begin",
                                                       "drain", "drain", "end", "end", "stop"}));
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

TEST_P(LifecycleTest, stops_the_service_behind_the_last_answer_on_any_loop) {
  service.may_answer = false;
  const auto serving = server(3);
  ASSERT_TRUE(serving->start());
  testing::BlockingClient client(serving->port());
  client.send(kGet);
  service.await("asked");
  serving->stop();
  testing::BlockingClient::await_refusal(serving->port());
  EXPECT_EQ(std::ranges::count(service.notes(), "end"), 0);
  service.may_answer = true;
  EXPECT_TRUE(client.read_until("\r\n\r\nx").starts_with("HTTP/1.1 200 "));
  client.close();
  EXPECT_TRUE(serving->wait());
  std::vector<std::string> notes = service.notes();
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
