// Server shutdown: requests in progress complete in time, or are aborted; triggered by signals.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>

#include "eider/server/server.h"
#include "tests/support/real_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::BlockingClient;
using testing::kPlainGet;
using testing::ServerTest;

class ServerStop : public ServerTest {};

INSTANTIATE_TEST_SUITE_P(Backends, ServerStop, ::testing::Values(Backend::epoll, Backend::io_uring),
                         testing::backend_name);

TEST_P(ServerStop, finishes_what_is_in_flight_when_told_to_stop) {
  if (!start(2)) {
    return;
  }
  BlockingClient idle = connect();
  BlockingClient waiting = connect();
  idle.send(kPlainGet);
  EXPECT_TRUE(idle.read_until("hello").contains("200 OK"));
  waiting.send("GET /wait?1000 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return service_.running == 1; }));
  server_->stop();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(idle.error, 0);
  const std::string response = waiting.read_until("waited");
  EXPECT_TRUE(response.contains("Connection: close\r\n")) << response;
  waiting.close();
  server_->wait();
  EXPECT_FALSE(connect().is_connected);
}

TEST_P(ServerStop, leaves_when_the_time_to_drain_is_up) {
  if (!start(1, {.drain = milliseconds(200)})) {
    return;
  }
  BlockingClient client = connect();
  client.send("GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  server_->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(2));
  EXPECT_EQ(service_.running, 0);
}

TEST_P(ServerStop, leaves_a_blocking_thread_behind_when_the_time_to_drain_is_up) {
  if (!start(1, {.drain = milliseconds(100)})) {
    return;
  }
  BlockingClient client = connect();
  client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return service_.running == 1; }));
  server_->stop();
  EXPECT_FALSE(server_->wait());
  service_.may_go.release();
  server_ = nullptr;
  EXPECT_EQ(service_.running, 0);
}

TEST_P(ServerStop, may_be_stopped_before_and_after_it_has_run) {
  if (!start(2)) {
    return;
  }
  server_->stop();
  server_->stop_now();
  server_->wait();
  server_->wait();
  server_->stop();
  server_ = nullptr;
  Server never(service_, {});
  never.stop();
  never.wait();
}

/// A separate process that serves until a signal: its exit status, and whether it was killed.
class Child {
 public:
  explicit Child(Duration drain) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ScriptedService service;
      Server server(service, {.port = 0, .threads = 2, .drain = drain, .stops_on_signals = true});
      const bool is_started = server.start().has_value();
      const std::uint16_t its_port = server.port();
      const bool is_told = ::write(ends[1], &its_port, sizeof(its_port)) == sizeof(its_port);
      server.wait();
      ::_exit(is_started && is_told ? 0 : 1);
    }
    EXPECT_EQ(::read(ends[0], &port, sizeof(port)), static_cast<ssize_t>(sizeof(port)));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void kill(int signal) const { ::kill(pid_, signal); }
  int wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

  std::uint16_t port = 0;

 private:
  pid_t pid_ = 0;
};

TEST(ServerProcess, exits_with_0_after_a_signal_and_what_was_in_flight) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Child child(seconds(10));
    BlockingClient client(child.port);
    client.send(std::string(kPlainGet) + "GET /wait?200 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.read_until("hello").contains("200 OK"));
    child.kill(signal);
    EXPECT_TRUE(client.read_until("waited").contains("Connection: close\r\n"));
    client.close();
    const int status = child.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(ServerProcess, leaves_at_once_at_the_second_signal) {
  const Child child(seconds(60));
  BlockingClient client(child.port);
  client.send(std::string(kPlainGet) + "GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_until("hello").contains("200 OK"));
  child.kill(SIGTERM);
  BlockingClient::await_refusal(child.port);  // the drain has begun
  child.kill(SIGTERM);
  const int status = child.wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

}  // namespace
}  // namespace eider
