// Servers that violate the protocol, and connections that end at unexpected times.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/postgres_message.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using db::postgres::message;
using namespace std::chrono_literals;
using namespace std::string_literals;

/// Returns a description of int4 columns in binary.
std::string columns(std::size_t count) {
  std::string body = "\0"s + static_cast<char>(count);
  for (std::size_t i = 0; i < count; ++i) {
    body += "c\0\0\0\0\0\0\0\0\0\0\x17\0\4\xff\xff\xff\xff\0\1"s;
  }
  return message('T', body);
}

std::string row(std::size_t count) {
  std::string body = "\0"s + static_cast<char>(count);
  for (std::size_t i = 0; i < count; ++i) {
    body += "\0\0\0\4\0\0\0\7"s;
  }
  return message('D', body);
}

std::string bytes_of(const std::vector<std::string>& messages) {
  std::string bytes;
  for (const std::string& one : messages) {
    bytes += one;
  }
  return bytes;
}

const std::string kReady = message('Z', "I");
const std::string kDone = message('C', "SELECT 1\0"s);

/// Accepts all logins, describes each statement with one column, and responds with one row.
class OddServer {
 public:
  explicit OddServer(std::string answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_, 8);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~OddServer() {
    is_over_ = true;
    thread_.join();
    ::close(listener_);
  }
  OddServer(const OddServer&) = delete;
  OddServer& operator=(const OddServer&) = delete;

  [[nodiscard]] std::string where() const {
    return "host=127.0.0.1 sslmode=disable user=a dbname=a port=" + std::to_string(port_);
  }
  /// How often bytes were received.
  [[nodiscard]] int pieces() const noexcept { return pieces_; }

 private:
  void serve() {
    while (waits_for(listener_)) {
      const int client = ::accept(listener_, nullptr, nullptr);
      serve(client);
      ::close(client);
    }
  }
  void serve(int client) {
    std::string got;
    const std::string welcome =
        message('R', "\0\0\0\0"s) + message('K', "\0\0\0\1\0\0\0\2"s) + kReady;
    bool is_in = false;
    while (waits_for(client)) {
      std::string piece(4096, '\0');
      const ssize_t bytes = ::recv(client, piece.data(), piece.size(), 0);
      if (bytes <= 0) {
        return;
      }
      ++pieces_;
      got.append(piece, 0, static_cast<std::size_t>(bytes));
      const bool is_sync = got.ends_with("S\0\0\0\4"s);
      if (is_in && !is_sync) {
        continue;
      }
      const std::string said =
          !is_in          ? welcome
          : got[0] == 'P' ? bytes_of({message('1', {}), message('t', "\0\0"s), columns(1), kReady})
                          : answer_;
      is_in = true;
      got.clear();
      ::send(client, said.data(), said.size(), MSG_NOSIGNAL);
    }
  }
  /// Waits until there are bytes to read; returns false when the server stops.
  bool waits_for(int fd) const {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    while (!is_over_ && ::poll(&ready, 1, 20) == 0) {
    }
    return !is_over_;
  }

  const std::string answer_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> pieces_ = 0;
  std::thread thread_;
};

class OddServers : public PostgresTest {
 protected:
  std::optional<FailureKind> kind_of(const std::string& answer) {
    const OddServer server(answer);
    const Database base = open_postgres(server.where(), {.connections_max = 1,
                                                         .wait_time_max = 2s,
                                                         .result_bytes_max = 4096,
                                                         .limits = {.statement_time_max = 1s}});
    return on_loop_.run([](Database on) -> Task<std::optional<FailureKind>> {
      try {
        const std::vector<int> rows = co_await on.all<int>("insert into a values (1) returning c");
        EXPECT_EQ(rows, std::vector<int>{7});
      } catch (const db::Failure& failure) {
        co_return failure.kind();
      }
      co_return std::nullopt;
    }(base));
  }
};

TEST_F(OddServers, that_keep_to_the_protocol_are_understood) {
  EXPECT_EQ(kind_of(bytes_of({message('2', {}), columns(1), row(1), kDone, kReady})), std::nullopt);
  EXPECT_EQ(
      kind_of(bytes_of({message('N', "SNOTICE\0\0"s), message('2', {}), message('S', "a\0b\0"s),
                        columns(1), row(1), message('A', "\0\0\0\1a\0b\0"s), kDone, kReady})),
      std::nullopt);
}

TEST_F(OddServers, that_break_the_protocol_lose_their_connection_alone) {
  const std::string bound = message('2', {});
  for (const std::string& answer : {
           bytes_of({bound, columns(1), row(1), columns(3), row(3), kDone, kReady}),
           bytes_of({bound, kReady}),                      // no response to the statement
           bytes_of({bound, columns(1), row(1), kReady}),  // nor the end of the statement
           bytes_of({bound, columns(1), row(2), kDone, kReady}),
           bytes_of({bound, columns(1), message('D', "\0\1\0\0\0\x09"s), kDone, kReady}),
           bytes_of({bound, columns(1), row(1), kDone, kReady, kReady, kReady}) + "Z\0\0\0\1"s,
           bytes_of({bound, message('T', "\0\2c\0"s), kReady}),
           bytes_of({bound, message('t', "\0\0"s), kReady}),
           bytes_of({message('W', "\0\0\0"s), kReady}),
           bytes_of({message('G', "\0\0\0"s)}),
           bytes_of({message('?', "\0\0\0"s), kReady}),
           "S\x7f\xff\xff\xff"s,
           "2\0\0\0\0"s,
       }) {
    const std::optional<FailureKind> kind = kind_of(answer);
    EXPECT_TRUE(kind == FailureKind::lost || answer.contains(kReady + kReady)) << answer;
  }
}

TEST_F(OddServers, that_promise_too_much_are_refused) {
  EXPECT_EQ(kind_of(message('2', {}) + columns(1) + "D\xff\xff\xff\xf0\0\1\xff\xff\xff\xe0"s),
            FailureKind::row);
}

TEST_F(OddServers, that_say_nothing_are_waited_for_as_long_as_is_said) {
  EXPECT_EQ(kind_of("2\0\0"s), FailureKind::lost);
}

TEST_F(OddServers, are_sent_all_of_what_goes_together_at_once) {
  const std::string one = bytes_of({message('2', {}), columns(1), row(1), kDone, kReady});
  const OddServer server(one + one + one);
  on_loop_.run([](Database on, const OddServer* asked) -> Task<> {
    for (int i = 0; i < 10; ++i) {
      const db::RuntimeSql sql{"insert into a values (1) returning c"};
      const auto [first, second, third] =
          co_await on.all(db::row<int>(sql), db::row<int>(sql), db::row<int>(sql));
      EXPECT_EQ(third.value(), 7);
      EXPECT_EQ(asked->pieces(), 3 + i);  // after the login and the preparation
    }
  }(open_postgres(server.where(), {.connections_max = 1}), &server));
}

/// Within one turn of the event loop, which has not noticed it yet then.
void end_backend(std::int64_t pid) {
  std::thread([pid] {
    TestLoop loop;
    loop.run([](std::int64_t its) -> Task<> {
      const Database other = open_postgres(PostgresServer::shared().where());
      (void)co_await other.one<bool>("select pg_terminate_backend($1::int)", its);
    }(pid));
  }).join();
  std::this_thread::sleep_for(100ms);
}

class EndedConnections : public PostgresTest {};

TEST_F(EndedConnections, take_nothing_with_them_that_was_not_sent) {
  const Database base = open({.connections_max = 1});
  script(base, "drop table if exists ended; create table ended(n int)");
  on_loop_.run([](Database on) -> Task<> {
    end_backend((co_await on.one<std::int64_t>("select pg_backend_pid()")).value_or(0));
    co_await on.script("insert into ended values (1); insert into ended values (2)");
    end_backend((co_await on.one<std::int64_t>("select pg_backend_pid()")).value_or(0));
    co_await on.exec("insert into ended values (3)");
    end_backend((co_await on.one<std::int64_t>("select pg_backend_pid()")).value_or(0));
    const auto [first, second] = co_await on.all(db::change("insert into ended values (4)"),
                                                 db::change("insert into ended values (5)"));
    EXPECT_TRUE(first.has_value() && second.has_value());
    EXPECT_EQ(co_await on.one<std::int64_t>("select sum(n) from ended"), 15);
  }(base));
}

TEST_F(EndedConnections, leave_no_rows_dropped_behind_a_copy_that_was_too_large) {
  const Database base = open({.connections_max = 1, .result_bytes_max = 1U << 20U});
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<int>("select 7"), 7);
    CopyOut out = copy_out(on, "copy (select repeat('x', 3000000)) to stdout");
    EXPECT_THROW((void)co_await out.next(), db::Failure);
    EXPECT_EQ(co_await on.one<int>("select 7"), 7);
  }(base));
}

}  // namespace
}  // namespace eider
