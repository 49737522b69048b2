#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;
using namespace std::string_literals;

/// Responds to each message with the next of its texts, and records the messages.
class FakeServer {
 public:
  explicit FakeServer(std::vector<std::string> says) : says_(std::move(says)) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    (void)::bind(fd_, reinterpret_cast<const sockaddr*>(&address), bytes);
    (void)::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &bytes);
    (void)::listen(fd_, 16);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    is_over_ = true;
    thread_.join();
    ::close(fd_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  [[nodiscard]] std::string url() const {
    return "mysql://me:topsecret@127.0.0.1:" + std::to_string(port_) + "/test";
  }
  [[nodiscard]] std::string heard() {
    const std::lock_guard lock(mutex_);
    return heard_;
  }

 private:
  [[nodiscard]] bool wait_for(int fd) const {
    pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
    while (!is_over_) {
      if (::poll(&one, 1, 5) > 0) {
        return true;
      }
    }
    return false;
  }

  void serve() {
    while (wait_for(fd_)) {
      const int fd = ::accept(fd_, nullptr, nullptr);
      for (const std::string& text : says_) {
        (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (!hear(fd)) {
          break;
        }
      }
      ::close(fd);
    }
  }

  [[nodiscard]] bool hear(int fd) {
    char bytes[4096];
    const ssize_t got = wait_for(fd) ? ::recv(fd, bytes, sizeof bytes, 0) : 0;
    const std::lock_guard lock(mutex_);
    heard_.append(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
    return got > 0;
  }

  std::vector<std::string> says_;
  int fd_ = -1;
  int port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::string heard_;
  std::thread thread_;
};

std::string packet(int number, const std::string& payload) {
  std::string made;
  for (const unsigned shift : {0U, 8U, 16U}) {
    made += static_cast<char>(payload.size() >> shift & 0xFFU);
  }
  return made + static_cast<char>(number) + payload;
}

/// takes_tls  whether it supports TLS
/// login      the requested authentication plugin
std::string greeting(bool takes_tls = false, const std::string& login = "mysql_native_password") {
  return packet(0, "\x0a"s + "5.5.5-10.11.6-MariaDB\0"s + "\x07\0\0\0"s + "12345678\0"s +
                       (takes_tls ? "\x8f\xaa"s : "\x8f\xa2"s) + "\x2d\x02\0\x08\0\x15"s +
                       std::string(10, '\0') + "123456789012\0"s + login + "\0"s);
}

const std::string kOk = packet(2, "\0\0\0\2\0\0\0"s);
const std::string kDone = packet(1, "\0\0\0\2\0\0\0"s);
const std::string kBegun = packet(1, "\0\0\0\3\0\0\0"s);

/// One row with one column.
std::string one_text(const std::string& text) {
  const std::string end = "\xfe\0\0\2\0"s;
  const std::string column = "\3def\0\0\0\1a\0\x0c\x2d\0\xff\0\0\0\xfd\0\0\0\0\0"s;
  return packet(1, "\1"s) + packet(2, column) + packet(3, end) +
         packet(4, static_cast<char>(text.size()) + text) + packet(5, end);
}

/// The responses to a statement with one text column and without parameters, when it is prepared
/// and run with a cursor.
const std::string kColumn = "\3def\0\0\0\1a\0\x0c\x2d\0\xff\0\0\0\xfd\0\0\0\0\0"s;
const std::string kPrepared =
    packet(1, "\0\1\0\0\0\1\0\0\0\0\0\0"s) + packet(2, kColumn) + packet(3, "\xfe\0\0\3\0"s);
const std::string kOpened = packet(1, "\1"s) + packet(2, kColumn) + packet(3, "\xfe\0\0\x43\0"s);

class HostileMariadb : public MariadbTest {
 protected:
  static constexpr Duration kPatient = 1s;  // time for messages of a login

  /// Returns the failure of a statement.
  db::Failure ask(const FakeServer& server, const std::string& more = {},
                  Duration time_max = 100ms) {
    return on_loop_.run([](Database on) -> Task<db::Failure> {
      auto pending = on.all<db::Row>("select 1");
      co_return co_await failure_of(pending);
    }(open_mariadb(server.url() + more, {.connections_max = 1,
                                         .connect_time_max = time_max,
                                         .wait_time_max = time_max * 3 / 2,
                                         .limits = {.statement_time_max = time_max}})));
  }
};

TEST_F(HostileMariadb, is_sent_no_file) {
  FakeServer server({greeting(), kOk, packet(1, "\xfb/etc/passwd"), kOk});
  EXPECT_EQ(ask(server, {}, kPatient).kind(), FailureKind::lost);
  const std::string heard = server.heard();
  EXPECT_NE(heard.find("set time_zone"), std::string::npos) << "it was not logged in to";
  EXPECT_EQ(heard.find("root:"), std::string::npos);
}

TEST_F(HostileMariadb, is_sent_no_password_as_it_is) {
  for (const char* plugin : {"mysql_clear_password", "dialog", "sha256_password"}) {
    FakeServer server({greeting(),
                       packet(2, "\xfe"s + plugin + "\0"s + std::string(20, 'x') + "\0"s),
                       packet(4, "\1"s), kOk});
    EXPECT_EQ(ask(server, {}, kPatient).kind(), FailureKind::lost);
    EXPECT_NE(server.heard(), "");
    EXPECT_EQ(server.heard().find("topsecret"), std::string::npos) << plugin;
  }
}

TEST_F(HostileMariadb, is_sent_no_password_for_a_key_of_its_own) {
  const std::string begin = "caching_sha2_password\0"s + std::string(20, 'x') + "\0"s;
  FakeServer server({greeting(), packet(2, "\xfe"s + begin), packet(4, "\1\4"s), kOk});
  const std::string why = ask(server, {}, kPatient).what();
  EXPECT_TRUE(why.contains("tls=verify")) << why;
  // A server with this default plugin may have users with another one.
  FakeServer other({greeting(false, "caching_sha2_password"),
                    packet(2, "\xfemysql_native_password\0"s + std::string(20, 'x') + "\0"s),
                    packet(4, "\0\0\0\2\0\0\0"s), kDone});
  (void)ask(other, {}, kPatient);
  EXPECT_TRUE(other.heard().contains("set time_zone"));
}

TEST_F(HostileMariadb, that_takes_no_script_is_asked_once) {
  FakeServer server({greeting(), kOk, kDone, one_text("here"), kBegun,
                     packet(1, "\xff\x17\x04#08S01Unknown command"s)});
  const db::Failure failure = on_loop_.run([](Database on) -> Task<db::Failure> {
    auto pending = on.script("do 1; do 2");
    co_return co_await failure_of(pending);
  }(open_mariadb(server.url(), {.connections_max = 1, .wait_time_max = 1s})));
  EXPECT_EQ(failure.kind(), FailureKind::statement) << failure.what();
  const std::string heard = server.heard();
  EXPECT_EQ(heard.find("start transaction"), heard.rfind("start transaction"));
}

TEST_F(HostileMariadb, that_refuses_a_piece_of_a_stream_is_told_nothing_of_it_later) {
  FakeServer server({greeting(), kOk, kDone, one_text("here"), kBegun, kPrepared, kOpened,
                     packet(1, "\xff\x25\x05#70100Query execution was interrupted"s), kDone,
                     kDone});
  on_loop_.run([](Database on) -> Task<> {
    {
      auto rows = on.stream<std::string>("select a from b");
      auto pending = rows.next();
      const db::Failure failure = co_await failure_of(pending);
      EXPECT_TRUE(std::string(failure.what()).contains("interrupted")) << failure.what();
    }
    // The next canceled job stops the current operation, after the rows of the stream were
    // destroyed.
    for (int i = 0; i < 3; ++i) {
      const auto ask = [](Database asked) -> Task<> { co_await asked.exec("do 1"); };
      EXPECT_FALSE(co_await with_deadline(ask(on), 50ms));
    }
  }(open_mariadb(server.url(), {.connections_max = 1, .wait_time_max = 1s})));
}

TEST_F(HostileMariadb, that_says_nothing_or_half_of_something_is_given_up_in_time) {
  const std::string whole = greeting();
  for (const std::string& text :
       {""s, whole.substr(0, 3), whole.substr(0, 20), "\xff\xff\xff\0"s}) {
    FakeServer server({text});
    EXPECT_EQ(ask(server).kind(), FailureKind::lost);
  }
}

TEST_F(HostileMariadb, that_stops_within_the_tls_handshake_or_has_none_is_given_up) {
  FakeServer silent({greeting(true), ""});
  EXPECT_EQ(ask(silent, "?tls=required").kind(), FailureKind::lost);
  FakeServer noisy({greeting(true), "no TLS at all, but enough bytes for a record of it"});
  EXPECT_EQ(ask(noisy, "?tls=required").kind(), FailureKind::lost);
  // If TLS is required, no statement is sent without TLS.
  FakeServer plain({greeting(false), kOk, kOk});
  EXPECT_EQ(ask(plain, "?tls=required").kind(), FailureKind::lost);
  EXPECT_EQ(plain.heard().find("set time_zone"), std::string::npos);
}

TEST_F(HostileMariadb, that_says_anything_else_breaks_nothing) {
  std::mt19937 random(7);
  const auto noise = [&random](std::size_t bytes) {
    std::string made;
    for (std::size_t i = 0; i < bytes; ++i) {
      made += static_cast<char>(random());
    }
    return made;
  };
  for (int i = 0; i < 40; ++i) {
    std::string changed = greeting();
    changed[4 + random() % (changed.size() - 4)] = static_cast<char>(random());
    const std::vector<std::string> lines[] = {
        {noise(1 + random() % 200)},
        {greeting(), noise(1 + random() % 200)},
        {changed, kOk, noise(100)},
        {greeting(), kOk, packet(1, noise(1 + random() % 100)), kOk, noise(100)},
        {greeting(), kOk, packet(1, "\0\0\0\2\0\0\0"s), packet(1, "\1"s) + packet(2, noise(40))},
    };
    FakeServer server(lines[i % 5]);
    const db::Failure failure = ask(server);
    EXPECT_TRUE(failure.kind() == FailureKind::lost || failure.kind() == FailureKind::busy)
        << failure.what();
  }
}

}  // namespace
}  // namespace eider
