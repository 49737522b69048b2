// The server on real loops and sockets of this machine.
#include "eider/server/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eider/runtime/descriptor.h"
#include "tests/sim/scripted_service.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPlain = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";

// A blocking client whose every wait is bounded.
class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    is_connected = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0;
  }
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EINTR) {
        ADD_FAILURE() << "send: errno " << errno;
        return;
      }
      bytes.remove_prefix(count < 0 ? 0 : static_cast<std::size_t>(count));
    }
  }
  /// Reads until the text is there; all that was read, or what there was at the end.
  std::string read_until(std::string_view text) {
    char bytes[16384];
    while (!read_.contains(text)) {
      const ssize_t count = ::recv(fd_.get(), bytes, sizeof(bytes), 0);
      if (count < 0 && errno == EINTR) {
        continue;
      }
      if (count <= 0) {
        error = count < 0 ? errno : 0;
        is_ended = true;
        return read_;
      }
      read_.append(bytes, static_cast<std::size_t>(count));
    }
    return std::exchange(read_, {});
  }
  std::string read_to_end() { return read_until("\1 never sent"); }
  void half_close() const { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.close(); }

  bool is_connected = false;
  bool is_ended = false;
  int error = 0;

 private:
  Descriptor fd_;
  std::string read_;
};

class ServerTest : public testing::TestWithParam<Backend> {
 protected:
  /// returns  false when the test has ended: this kernel has no such backend
  [[nodiscard]] bool start(unsigned threads, ServerOptions options = {}) {
    options.port = 0;
    options.threads = threads;
    options.backend = GetParam();
    server_ = std::make_unique<Server>(service_, options);
    const auto started = server_->start();
    if (!started && GetParam() == Backend::io_uring) {
      skip(started.error().detail());
      return false;
    }
    EXPECT_TRUE(started) << started.error().detail();
    return started.has_value();
  }
  [[nodiscard]] Client connect() const { return Client(server_->port()); }
  /// Polls a fact that another thread brings about.
  template <class Fact>
  static bool comes_true(Fact fact) {
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (!fact()) {
      if (std::chrono::steady_clock::now() > until) {
        return false;
      }
      std::this_thread::yield();
    }
    return true;
  }

  ScriptedService service_;
  std::unique_ptr<Server> server_;

 private:
  static void skip(const std::string& why) { GTEST_SKIP() << why; }
};

INSTANTIATE_TEST_SUITE_P(Backends, ServerTest, testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return std::string(backend.param == Backend::epoll ? "epoll"
                                                                              : "io_uring");
                         });

TEST_P(ServerTest, answers_and_keeps_the_connection) {
  if (!start(1)) {
    return;
  }
  Client client = connect();
  for (int round = 0; round < 100; ++round) {
    client.send(kPlain);
    EXPECT_TRUE(client.read_until("hello").starts_with("HTTP/1.1 200 OK\r\n"));
  }
  EXPECT_EQ(server_->stats().requests(), 100U);
  EXPECT_EQ(server_->stats().connections(), 1U);
}

TEST_P(ServerTest, spreads_ten_clients_evenly_over_four_loops) {
  if (!start(4)) {
    return;
  }
  std::vector<Client> clients;
  for (int count = 0; count < 10; ++count) {
    clients.push_back(connect());
    clients.back().send(kPlain);
    EXPECT_TRUE(clients.back().read_until("hello").contains("200 OK"));
  }
  std::vector<std::size_t> counts;
  for (const auto& loop : server_->stats().loops) {
    counts.push_back(loop.connections);
  }
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_LE(*std::ranges::max_element(counts) - *std::ranges::min_element(counts), 1U);
}

TEST_P(ServerTest, a_request_that_waits_holds_no_thread) {
  if (!start(1)) {
    return;
  }
  std::vector<Client> clients;
  const auto begin = std::chrono::steady_clock::now();
  for (int count = 0; count < 50; ++count) {
    clients.push_back(connect());
    clients.back().send("GET /wait?200 HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (Client& client : clients) {
    EXPECT_TRUE(client.read_until("waited").contains("200 OK"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(3));
}

TEST_P(ServerTest, sends_a_large_answer_to_a_client_that_reads_late) {
  if (!start(1)) {
    return;
  }
  for (const std::string_view path : {"/big", "/big-view"}) {
    Client client = connect();
    client.send("GET " + std::string(path) + "?8388608 HTTP/1.1\r\nHost: a\r\n\r\n" +
                "GET /close HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(comes_true([this] { return server_->stats().requests() >= 1; }));
    const std::string all = client.read_to_end();
    EXPECT_GT(all.size(), 8'388'608U);
    EXPECT_TRUE(all.ends_with("\r\n\r\nbye"));
  }
}

TEST_P(ServerTest, a_blocking_request_outlives_its_client) {
  if (!start(1)) {
    return;
  }
  {
    Client client = connect();
    client.send("POST /block HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    EXPECT_TRUE(client.read_until("blocked x").contains("200 OK"));
    client.send("POST /block HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
  }
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 0; }));
  server_->stop();
  server_->wait();
  EXPECT_EQ(service_.seen_address, "127.0.0.1");
  EXPECT_EQ(service_.running, 0);
}

TEST_P(ServerTest, cancels_the_request_of_a_client_that_has_left) {
  if (!start(1)) {
    return;
  }
  {
    Client client = connect();
    client.send("GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 1; }));
  }
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 0; }));
  server_->stop();
  server_->wait();
  EXPECT_EQ(service_.finished, 0);
}

TEST_P(ServerTest, answers_a_half_closed_client) {
  if (!start(1)) {
    return;
  }
  Client client = connect();
  client.send(std::string(kPlain) + "GET /wait?50 HTTP/1.1\r\nHost: a\r\n\r\n");
  client.half_close();
  const std::string all = client.read_to_end();
  EXPECT_TRUE(all.contains("hello")) << all;
  EXPECT_TRUE(all.ends_with("waited")) << all;
  EXPECT_EQ(client.error, 0);
}

TEST_P(ServerTest, a_refused_client_reads_its_answer_not_a_reset) {
  if (!start(1)) {
    return;
  }
  Client client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
  const std::string part(100'000, 'x');
  for (int count = 0; count < 50; ++count) {
    client.send(part);
  }
  client.half_close();
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 413 "));
  EXPECT_EQ(client.error, 0);
}

TEST_P(ServerTest, finishes_what_is_in_flight_when_told_to_stop) {
  if (!start(2)) {
    return;
  }
  Client idle = connect();
  Client waiting = connect();
  idle.send(kPlain);
  EXPECT_TRUE(idle.read_until("hello").contains("200 OK"));
  waiting.send("GET /wait?300 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 2; }));
  std::this_thread::sleep_for(milliseconds(50));  // so that the request has been read
  server_->stop();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(idle.error, 0);
  const std::string answer = waiting.read_until("waited");
  EXPECT_TRUE(answer.contains("Connection: close\r\n")) << answer;
  waiting.close();
  server_->wait();
  EXPECT_FALSE(connect().is_connected);
}

TEST_P(ServerTest, leaves_when_the_time_to_drain_is_up) {
  if (!start(1, {.drain = milliseconds(200)})) {
    return;
  }
  Client client = connect();
  client.send("GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 1; }));
  const auto begin = std::chrono::steady_clock::now();
  server_->stop();
  server_->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(2));
  EXPECT_EQ(service_.running, 0);
}

TEST_P(ServerTest, leaves_a_blocking_thread_behind_when_the_time_to_drain_is_up) {
  if (!start(1, {.drain = milliseconds(100)})) {
    return;
  }
  Client client = connect();
  client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return service_.running == 1; }));
  server_->stop();
  EXPECT_FALSE(server_->wait());
  service_.may_go.release();
  server_ = nullptr;
  EXPECT_EQ(service_.running, 0);
}

TEST_P(ServerTest, may_be_stopped_before_and_after_it_has_run) {
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

TEST_P(ServerTest, ends_cleanly_after_ten_thousand_connections) {
  if (!start(2)) {
    return;
  }
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::atomic<int> answers = 0;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([this, &answers] {
      for (int count = 0; count < 10'000 / kThreads; ++count) {
        Client client = connect();
        client.send("GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        answers += client.read_to_end().ends_with("hello") ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(answers, 10'000);
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 0; }));
  server_->stop();
  server_->wait();
}

TEST(Server, says_which_address_is_in_use_and_what_to_do) {
  ScriptedService service;
  for (const unsigned threads : {1U, 3U}) {
    Server first(service, {.port = 0, .threads = threads});
    ASSERT_TRUE(first.start());
    Server second(service, {.port = first.port(), .threads = threads});
    const auto started = second.start();
    ASSERT_FALSE(started);
    const std::string& detail = started.error().detail();
    EXPECT_TRUE(detail.contains("127.0.0.1 port " + std::to_string(first.port()))) << detail;
    EXPECT_TRUE(detail.contains("choose another port")) << detail;
  }
}

TEST(Server, shares_a_port_with_who_shares_it_too) {
  ScriptedService service;
  for (const unsigned threads : {1U, 3U}) {
    Server first(service, {.port = 0, .threads = threads, .shares_port = true});
    ASSERT_TRUE(first.start());
    Server second(service, {.port = first.port(), .threads = threads, .shares_port = true});
    EXPECT_TRUE(second.start());
    Server third(service, {.port = first.port(), .threads = threads});
    EXPECT_FALSE(third.start());
  }
}

TEST(Server, says_what_is_wrong_with_an_address) {
  ScriptedService service;
  const struct {
    std::string_view host;
    std::string_view says;
  } cases[] = {{"no such name", "127.0.0.1"}, {"", "127.0.0.1"}, {"192.0.2.1", "of this machine"}};
  for (const auto& one : cases) {
    Server server(service, {.host = std::string(one.host), .port = 0, .threads = 2});
    const auto started = server.start();
    ASSERT_FALSE(started) << one.host;
    EXPECT_TRUE(started.error().detail().contains(one.says)) << started.error().detail();
  }
}

TEST(Server, listens_on_a_unix_path_with_several_loops) {
  const std::string path = testing::TempDir() + "eider_server_test.sock";
  ScriptedService service;
  Server server(service, {.host = "unix:" + path, .threads = 2});
  ASSERT_TRUE(server.start());
  std::vector<Descriptor> clients;
  for (int count = 0; count < 4; ++count) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof(at.sun_path) - 1);
    Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
    ASSERT_EQ(::send(fd.get(), kPlain.data(), kPlain.size(), 0),
              static_cast<ssize_t>(kPlain.size()));
    char byte = 0;
    EXPECT_EQ(::recv(fd.get(), &byte, 1, 0), 1);
    clients.push_back(std::move(fd));
  }
  EXPECT_EQ(server.stats().loops[0].connections, 2U);
  EXPECT_EQ(server.stats().loops[1].connections, 2U);
}

// A process of its own that serves until a signal: its exit status, and whether it was killed.
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

TEST(Server, exits_with_0_after_a_signal_and_what_was_in_flight) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const Child child(seconds(10));
    Client client(child.port);
    client.send(std::string(kPlain) + "GET /wait?200 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(client.read_until("hello").contains("200 OK"));
    child.kill(signal);
    EXPECT_TRUE(client.read_until("waited").contains("Connection: close\r\n"));
    client.close();
    const int status = child.wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST(Server, leaves_at_once_at_the_second_signal) {
  const Child child(seconds(60));
  Client client(child.port);
  client.send(std::string(kPlain) + "GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.read_until("hello").contains("200 OK"));
  child.kill(SIGTERM);
  const auto begin = std::chrono::steady_clock::now();
  while (Client(child.port).is_connected) {  // until the drain has begun
    ASSERT_LT(std::chrono::steady_clock::now() - begin, seconds(10));
  }
  child.kill(SIGTERM);
  const int status = child.wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

}  // namespace
}  // namespace eider
