// The server with real loops and sockets of this machine: responses and addresses.
#include "eider/server/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/real_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::BlockingClient;
using testing::kPlainGet;
using testing::ServerTest;

INSTANTIATE_TEST_SUITE_P(Backends, ServerTest, ::testing::Values(Backend::epoll, Backend::io_uring),
                         testing::backend_name);

TEST_P(ServerTest, answers_and_keeps_the_connection) {
  if (!start(1)) {
    return;
  }
  BlockingClient client = connect();
  for (int round = 0; round < 100; ++round) {
    client.send(kPlainGet);
    EXPECT_TRUE(client.read_until("hello").starts_with("HTTP/1.1 200 OK\r\n"));
  }
  EXPECT_EQ(server_->stats().requests(), 100U);
  EXPECT_EQ(server_->stats().connections(), 1U);
}

TEST_P(ServerTest, spreads_ten_clients_evenly_over_four_loops) {
  if (!start(4)) {
    return;
  }
  std::vector<BlockingClient> clients;
  for (int count = 0; count < 10; ++count) {
    clients.push_back(connect());
    clients.back().send(kPlainGet);
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
  std::vector<BlockingClient> clients;
  const auto begin = std::chrono::steady_clock::now();
  for (int count = 0; count < 50; ++count) {
    clients.push_back(connect());
    clients.back().send("GET /wait?200 HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  for (BlockingClient& client : clients) {
    EXPECT_TRUE(client.read_until("waited").contains("200 OK"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(8)) << "one by one they take 10 s";
}

TEST_P(ServerTest, sends_a_large_response_to_a_client_that_reads_late) {
  if (!start(1)) {
    return;
  }
  for (const std::string_view path : {"/big", "/big-view"}) {
    BlockingClient client = connect();
    client.send("GET " + std::string(path) + "?8388608 HTTP/1.1\r\nHost: a\r\n\r\n" +
                "GET /close HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_TRUE(comes_true([this] { return server_->stats().requests() >= 1; }));
    const std::string all = client.read_to_end();
    EXPECT_GT(all.size(), 8'388'608U);
    EXPECT_TRUE(all.ends_with("\r\n\r\nbye"));
  }
}

// The kernel reports space when a third of its buffer has been sent: a megabyte, which this reader
// reads in ten seconds.
TEST_P(ServerTest, serves_a_reader_that_takes_a_little_all_the_time) {
  if (!start(1, {.limits = {.write = seconds(2), .bytes_per_second_min = 512}})) {
    return;
  }
  constexpr int kSmall = 16 * 1024;
  BlockingClient client(server_->port(), kSmall);
  client.send("GET /big?8388608 HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto until = std::chrono::steady_clock::now() + seconds(5);
  while (std::chrono::steady_clock::now() < until) {
    ASSERT_TRUE(client.read_some());
    ::poll(nullptr, 0, 100);
  }
}

TEST_P(ServerTest, a_blocking_request_outlives_its_client) {
  if (!start(1)) {
    return;
  }
  {
    BlockingClient client = connect();
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

TEST_P(ServerTest, knows_who_asked_when_the_connection_was_reset_before_the_handler_runs) {
  if (!start(1)) {
    return;
  }
  BlockingClient stalling = connect();
  stalling.send("GET /stall HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(comes_true([this] { return service_.answered == 1; }));
  BlockingClient gone = connect();
  gone.send("GET /who HTTP/1.1\r\nHost: a\r\n\r\n");
  gone.reset();
  service_.may_go.release();
  EXPECT_TRUE(comes_true([this] { return service_.answered == 2; }));
  server_->stop();
  server_->wait();
  EXPECT_EQ(service_.seen_address, "127.0.0.1");
}

TEST_P(ServerTest, gives_one_address_so_many_connections_only) {
  if (!start(2, {.limits = {.connections_per_address_max = 2}})) {
    return;
  }
  BlockingClient first = connect();
  BlockingClient second = connect();
  for (BlockingClient* client : {&first, &second}) {
    client->send(kPlainGet);
    EXPECT_TRUE(client->read_until("hello").contains("200 OK"));
  }
  BlockingClient third = connect();
  third.send(kPlainGet);
  EXPECT_EQ(third.read_to_end(), "");
  first.close();
  EXPECT_TRUE(comes_true([this] {
    BlockingClient next = connect();
    next.send(kPlainGet);
    return next.read_until("hello").contains("200 OK");
  }));
}

TEST_P(ServerTest, takes_other_limits_on_every_loop_while_it_serves) {
  if (!start(4)) {
    return;
  }
  // Returns how many of this number of concurrent requests succeed, on all loops.
  const auto answered = [this](const std::string& target, std::size_t of) {
    EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 0; }));
    std::vector<BlockingClient> clients;
    for (std::size_t count = 0; count < of; ++count) {
      clients.push_back(connect());
      clients.back().send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    return std::ranges::count_if(clients, [](BlockingClient& client) {
      return client.read_until("\r\n").contains("200 OK");
    });
  };
  const std::string target = "/plain?" + std::string(100, 'x');
  EXPECT_EQ(answered(target, 8), 8);
  server_->set_limits({.target_bytes_max = 50});
  EXPECT_TRUE(comes_true([&] { return answered(target, 8) == 0; }));
  server_->set_limits({});
  EXPECT_TRUE(comes_true([&] { return answered(target, 8) == 8; }));
  server_->set_limits({.connections_max = 3});
  EXPECT_TRUE(comes_true([&] { return answered(target, 8) == 3; }));
  server_->set_limits({.connections_per_address_max = 2});
  EXPECT_TRUE(comes_true([&] { return answered(target, 8) == 2; }));
  server_->set_limits({});
  EXPECT_TRUE(comes_true([&] { return answered(target, 8) == 8; }));
}

TEST_P(ServerTest, counts_connections_by_the_balancer_s_word) {
  if (!start(1, {.expects_proxy_protocol = true, .limits = {.connections_per_address_max = 1}})) {
    return;
  }
  const auto ask_as = [](BlockingClient& client, const std::string& address) {
    client.send("PROXY TCP4 " + address + " 192.0.2.9 1 80\r\n" + std::string(kPlainGet));
    return client.read_until("hello").contains("200 OK");
  };
  BlockingClient first = connect();
  BlockingClient second = connect();
  BlockingClient third = connect();
  EXPECT_TRUE(ask_as(first, "192.0.2.1"));
  EXPECT_FALSE(ask_as(second, "192.0.2.1"));
  EXPECT_TRUE(ask_as(third, "192.0.2.2"));
}

TEST_P(ServerTest, cancels_the_request_of_a_client_that_has_left) {
  if (!start(1)) {
    return;
  }
  {
    BlockingClient client = connect();
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
  BlockingClient client = connect();
  client.send(std::string(kPlainGet) + "GET /wait?50 HTTP/1.1\r\nHost: a\r\n\r\n");
  client.half_close();
  const std::string all = client.read_to_end();
  EXPECT_TRUE(all.contains("hello")) << all;
  EXPECT_TRUE(all.ends_with("waited")) << all;
  EXPECT_EQ(client.error, 0);
}

TEST_P(ServerTest, a_refused_client_reads_its_response_not_a_reset) {
  if (!start(1)) {
    return;
  }
  BlockingClient client = connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
  const std::string part(100'000, 'x');
  for (int count = 0; count < 50; ++count) {
    client.send(part);
  }
  client.half_close();
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 413 "));
  EXPECT_EQ(client.error, 0);
}

TEST_P(ServerTest, ends_cleanly_after_ten_thousand_connections) {
  if (!start(2)) {
    return;
  }
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::atomic<int> responses = 0;
  for (int index = 0; index < kThreads; ++index) {
    threads.emplace_back([this, &responses] {
      for (int count = 0; count < 10'000 / kThreads; ++count) {
        BlockingClient client = connect();
        client.send("GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        responses += client.read_to_end().ends_with("hello") ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(responses, 10'000);
  EXPECT_TRUE(comes_true([this] { return server_->stats().connections() == 0; }));
  server_->stop();
  server_->wait();
}

class BegunService final : public RequestService {
 public:
  void begin() noexcept override {
    const std::lock_guard noting(noting_);
    threads_.insert(std::this_thread::get_id());
    ++calls_;
  }
  RequestPlan plan(Request&) noexcept override {
    const std::lock_guard noting(noting_);
    has_begun_first = has_begun_first && threads_.contains(std::this_thread::get_id());
    return {};
  }
  void respond(const RequestPlan&, Request&, Response& response) noexcept override {
    response.set_body("x");
  }
  Task<> respond_later(const RequestPlan&, Request&, Response&, const Ongoing&) override {
    co_return;
  }
  void respond_failed(const Request&, Response*, std::exception_ptr) noexcept override {}
  void refuse(int, std::string_view, Response&) noexcept override {}
  [[nodiscard]] std::size_t threads() const { return threads_.size(); }
  [[nodiscard]] int calls() const { return calls_; }

  bool has_begun_first = true;

 private:
  std::mutex noting_;
  std::set<std::thread::id> threads_;
  int calls_ = 0;
};

TEST(Server, begins_its_service_on_each_loop_ahead_of_requests) {
  BegunService service;
  Server server(service, {.port = 0, .threads = 3});
  ASSERT_TRUE(server.start());
  for (int round = 0; round < 12; ++round) {
    BlockingClient client(server.port());
    client.send(kPlainGet);
    EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
  }
  server.stop();
  EXPECT_TRUE(server.wait());
  EXPECT_EQ(service.threads(), 3U);
  EXPECT_EQ(service.calls(), 3);
  EXPECT_TRUE(service.has_begun_first);
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
  const std::string path = ::testing::TempDir() + "eider_server_test.sock";
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
    ASSERT_EQ(::send(fd.get(), kPlainGet.data(), kPlainGet.size(), 0),
              static_cast<ssize_t>(kPlainGet.size()));
    char byte = 0;
    EXPECT_EQ(::recv(fd.get(), &byte, 1, 0), 1);
    clients.push_back(std::move(fd));
  }
  EXPECT_EQ(server.stats().loops[0].connections, 2U);
  EXPECT_EQ(server.stats().loops[1].connections, 2U);
}

}  // namespace
}  // namespace eider
