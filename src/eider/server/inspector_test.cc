// The state report of a running server, on real loops: requested with a signal.
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/io/runtime/signals.h"
#include "eider/server/state.h"
#include "tests/support/real_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using testing::BlockingClient;
using testing::ServerTest;

class InspectedServer : public ServerTest {
 protected:
  InspectedServer() {
    ignore_signal(SIGUSR1);  // until the server handles it
  }
  ~InspectedServer() override {
    server_.reset();  // before the state that it reports
    ::signal(SIGUSR1, SIG_DFL);
  }

  [[nodiscard]] bool start_inspected(unsigned threads, Duration stuck_after = Duration::zero()) {
    ServerOptions options;
    options.stuck_after = stuck_after;
    options.log = &lines_;
    options.on_state_request = [this](const ServerState& state) {
      const std::lock_guard lock(mutex_);
      told_.push_back(state);
    };
    return start(threads, std::move(options));
  }

  /// Requests reports until one satisfies the condition.
  template <class Is>
  std::optional<ServerState> ask_until(Is is) {
    std::optional<ServerState> found;
    EXPECT_TRUE(comes_true([&] {
      ::kill(::getpid(), SIGUSR1);
      const std::lock_guard lock(mutex_);
      for (ServerState& state : told_) {
        if (!found && is(state)) {
          found = std::move(state);
        }
      }
      told_.clear();
      return found.has_value();
    }));
    return found;
  }

  class Lines final : public LogSink {
   public:
    void write(LogLevel /*level*/, std::string_view line) noexcept override {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    }
    [[nodiscard]] std::size_t count(std::string_view text) const {
      const std::lock_guard lock(mutex_);
      std::size_t count = 0;
      for (const std::string& line : lines_) {
        count += line.contains(text) ? 1 : 0;
      }
      return count;
    }

   private:
    mutable std::mutex mutex_;
    std::vector<std::string> lines_;
  };

  Lines lines_;
  std::mutex mutex_;
  std::vector<ServerState> told_;
};

INSTANTIATE_TEST_SUITE_P(Backends, InspectedServer,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         testing::backend_name);

TEST_P(InspectedServer, tells_of_each_loop_what_is_on_it) {
  if (!start_inspected(2)) {
    return;
  }
  std::vector<BlockingClient> clients;
  for (int count = 0; count < 4; ++count) {
    clients.push_back(connect());
    clients.back().send(count == 0 ? "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"
                                   : "GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  EXPECT_TRUE(clients.front().read_until("hello").contains("200"));
  const auto state = ask_until([](const ServerState& told) {
    std::size_t in_flight = 0;
    for (const LoopState& loop : told.loops) {
      in_flight += loop.requests_in_flight.size();
    }
    return in_flight == 3;
  });
  ASSERT_TRUE(state);
  ASSERT_EQ(state->loops.size(), 2U);
  ConnectionsState all;
  for (const LoopState& loop : state->loops) {
    EXPECT_TRUE(loop.is_responsive);
    EXPECT_GT(loop.turns, 0U);
    all.open += loop.connections.open;
    all.http1 += loop.connections.http1;
    all.busy += loop.connections.busy;
    all.accepted += loop.connections.accepted;
    for (const RequestState& request : loop.requests_in_flight) {
      EXPECT_EQ(request.method, "GET");
      EXPECT_EQ(request.stage, "handled");
      EXPECT_EQ(request.peer, "127.0.0.1");
    }
  }
  EXPECT_EQ(all.open, 4U);
  EXPECT_EQ(all.http1, 4U);
  EXPECT_EQ(all.busy, 3U);
  EXPECT_EQ(all.accepted, 4U);
  EXPECT_EQ(state->process, ::getpid());
}

TEST_P(InspectedServer, counts_no_connection_that_has_ended) {
  if (!start_inspected(1)) {
    return;
  }
  for (int round = 0; round < 10; ++round) {
    BlockingClient client = connect();
    client.send(testing::kPlainGet);
    EXPECT_TRUE(client.read_until("hello").contains("200"));
    client.reset();
  }
  const auto state =
      ask_until([](const ServerState& told) { return told.loops.front().connections.open == 0; });
  ASSERT_TRUE(state);
  EXPECT_EQ(state->loops.front().connections.http1, 0U);
  EXPECT_EQ(state->loops.front().connections.closing, 0U);
  EXPECT_EQ(state->loops.front().connections.accepted, 10U);
}

TEST_P(InspectedServer, tells_while_it_stops) {
  if (!start_inspected(1)) {
    return;
  }
  BlockingClient client = connect();
  client.send("GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(ask_until([](const ServerState& told) { return told.loops.front().in_flight == 1; }));
  server_->stop();
  const auto state = ask_until([](const ServerState& told) { return told.is_stopping; });
  ASSERT_TRUE(state);
  EXPECT_EQ(state->loops.front().in_flight, 1U);
  server_->stop_now();
  EXPECT_TRUE(server_->wait());
  EXPECT_TRUE(ask_until([](const ServerState& told) { return !told.loops.front().is_responsive; }));
}

TEST_P(InspectedServer, asks_nobody_who_has_not_answered_again) {
  if (!start_inspected(1)) {
    return;
  }
  for (int count = 0; count < 1000; ++count) {
    ::kill(::getpid(), SIGUSR1);
  }
  EXPECT_TRUE(ask_until([](const ServerState& told) { return told.loops.front().is_responsive; }));
}

}  // namespace
}  // namespace eider
