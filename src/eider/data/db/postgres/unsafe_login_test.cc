// Servers, genuine or in the middle, that request the password itself.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/data/db/postgres/target.h"
#include "tests/support/postgres_message.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::postgres::message;
using namespace std::string_literals;

/// Responds to a request for TLS and to any messages after it, and records all received bytes.
class AskingServer {
 public:
  /// to_tls    the response to a request for TLS
  /// to_begin  the responses to the next messages
  /// pieces    how they are sent: complete, or byte by byte
  AskingServer(std::string to_tls, std::vector<std::string> to_begin, bool is_slow = false)
      : to_tls_(std::move(to_tls)), to_begin_(std::move(to_begin)), is_slow_(is_slow) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
    ::listen(listener_, 8);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve_all(); });
  }
  ~AskingServer() {
    is_over_ = true;
    thread_.join();
    ::close(listener_);
  }
  AskingServer(const AskingServer&) = delete;
  AskingServer& operator=(const AskingServer&) = delete;

  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  [[nodiscard]] std::string came() {
    const std::lock_guard lock(mutex_);
    return came_;
  }

 private:
  void serve_all() {
    while (waits_for(listener_)) {
      const int client = ::accept(listener_, nullptr, nullptr);
      serve(client);
      ::close(client);
    }
  }
  void serve(int client) {
    std::size_t answered = 0;
    while (waits_for(client)) {
      std::string piece(4096, '\0');
      const ssize_t bytes = ::recv(client, piece.data(), piece.size(), 0);
      if (bytes <= 0) {
        return;
      }
      piece.resize(static_cast<std::size_t>(bytes));
      const bool is_for_tls = piece == "\0\0\0\10\4\xD2\x16\x2F"s;
      {
        const std::lock_guard lock(mutex_);
        came_ += piece;
      }
      if (is_for_tls) {
        say(client, to_tls_);
      } else if (answered < to_begin_.size()) {
        say(client, to_begin_[answered++]);
      }
    }
  }
  void say(int client, const std::string& answer) const {
    if (!is_slow_) {
      ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      return;
    }
    for (const char byte : answer) {
      ::send(client, &byte, 1, MSG_NOSIGNAL);
      std::this_thread::yield();
    }
  }
  bool waits_for(int fd) const {
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    while (!is_over_ && ::poll(&ready, 1, 20) == 0) {
    }
    return !is_over_;
  }

  const std::string to_tls_;
  const std::vector<std::string> to_begin_;
  const bool is_slow_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::string came_;
  std::thread thread_;
};

const std::string kClearText = message('R', "\0\0\0\3"s);
const std::string kMd5 = message('R', "\0\0\0\5salt"s);
const std::string kSasl = message('R', "\0\0\0\12SCRAM-SHA-256\0\0"s);

class UnsafeLogins : public ::testing::Test {
 protected:
  /// Returns the failure of a connection.
  std::string why(const std::string& where) {
    return on_loop_.run([](Database on) -> Task<std::string> {
      auto asked = on.exec("select 1");
      co_return (co_await failure_of(asked)).what();
    }(open_postgres(where, {.connect_time_max = std::chrono::seconds(20),
                            .wait_time_max = std::chrono::seconds(2)})));
  }
  void expect_kept(AskingServer& server, const std::string& where, std::string_view reported) {
    const std::string failure = why(where);
    EXPECT_TRUE(failure.contains(reported)) << where << ": " << failure;
    EXPECT_FALSE(failure.contains("TOP-SECRET")) << failure;
    const std::string came = server.came();
    EXPECT_FALSE(came.empty()) << where;
    EXPECT_FALSE(came.contains("TOP-SECRET")) << where;
    EXPECT_FALSE(came.contains("md5")) << where;
  }

  TestLoop on_loop_;
};

TEST_F(UnsafeLogins, never_learn_the_password_however_they_are_named) {
  AskingServer server("N", {kClearText});
  const std::string port = server.port();
  const std::string who = " user=ada password=TOP-SECRET dbname=shop port=" + port;
  for (const std::string& where :
       {"postgres://ada:TOP-SECRET@127.0.0.1:" + port + "/shop",
        "postgres://ada:TOP-SECRET@127.0.0.1:" + port + ",127.0.0.1:" + port + "/shop",
        "host=localhost hostaddr=127.0.0.1" + who, "host=127.0.0.1 sslmode=prefer" + who,
        "host=127.0.0.1 sslmode=disable" + who, "host=127.0.0.1 sslmode=allow" + who,
        "host=db.example hostaddr=127.0.0.1" + who}) {
    expect_kept(server, where, "requests the password in clear text, without TLS");
  }
}

TEST_F(UnsafeLogins, never_learn_it_whenever_they_ask_for_it) {
  for (const bool is_slow : {false, true}) {
    AskingServer md5("N", {kMd5}, is_slow);
    AskingServer stuffed("N" + kClearText, {kClearText}, is_slow);
    AskingServer noticing("N", {message('N', "SNOTICE\0\0"s) + kClearText}, is_slow);
    AskingServer later("N", {kSasl, kClearText}, is_slow);
    AskingServer together("N", {kSasl + kClearText}, is_slow);
    for (AskingServer* server : {&md5, &stuffed, &noticing, &later, &together}) {
      // libpq rejects a notice before the authentication. If the notice arrives alone, libpq reads
      // it before the driver sees the request for the password, and the message is libpq's.
      const std::string_view reported = server == &md5        ? "requests the password as MD5"
                                        : server == &noticing ? ""
                                                              : "requests the password in cl";
      expect_kept(*server,
                  "host=127.0.0.1 user=ada password=TOP-SECRET dbname=shop port=" + server->port(),
                  reported);
    }
  }
}

TEST_F(UnsafeLogins, learn_it_only_where_the_program_allows_that) {
  AskingServer server("N", {kClearText});
  const std::string port = server.port();
  (void)why("postgres://ada:TOP-SECRET@127.0.0.1:" + port + "/shop?require_auth=md5");
  (void)why("host=127.0.0.1 user=ada password='TOP-SECRET require_auth=password' port=" + port);
  EXPECT_FALSE(server.came().contains("TOP-SECRET"));
  (void)why("postgres://ada:TOP-SECRET@127.0.0.1:" + port +
            "/shop?require_auth=password,md5&application_name=x");
  EXPECT_TRUE(server.came().contains("TOP-SECRET"));
}

TEST_F(UnsafeLogins, are_not_begun_on_another_machine_without_tls) {
  AskingServer server("N", {kClearText});
  const std::string failure =
      why("host=db.example,127.0.0.1 hostaddr=127.0.0.1,127.0.0.1 "
          "sslmode=require user=ada password=TOP-SECRET port=" +
          server.port());
  EXPECT_TRUE(failure.contains("does not support SSL")) << failure;
  EXPECT_FALSE(server.came().contains("ada"));
}

TEST_F(UnsafeLogins, that_say_nothing_of_the_protocol_are_told_so) {
  AskingServer plain("N", {"Ecould not fork new process\n\0"s});
  const std::string where = " user=ada password=TOP-SECRET host=127.0.0.1 port=";
  EXPECT_TRUE(why(where + plain.port()).contains("could not fork new process"));
  AskingServer odd("N", {"HTTP/1.1 400 Bad Request\r\n\r\n"});
  EXPECT_TRUE(why(where + odd.port()).contains("not follow the protocol"));
}

// Default settings.

std::string setting_of(const std::string& where, const std::string& key) {
  const auto target = db::postgres::read_target(where, {});
  std::string found;
  for (const auto& [name, value] : target->others) {
    found = name == key ? value : found;
  }
  return found;
}

std::string warning_of(const std::string& where) {
  return db::postgres::read_target(where, {})->warning;
}

TEST(PostgresDefaults, ask_for_tls_where_another_machine_may_be_meant) {
  for (const char* where :
       {"postgres://ada@db.example/shop", "postgres://ada@192.0.2.7/shop", "host=db",
        "host=localhost hostaddr=192.0.2.7", "host=localhost,db.example", "host=/tmp,192.0.2.7",
        "postgres://ada@[2001:db8::7]/shop", "host=localhost.example"}) {
    EXPECT_EQ(setting_of(where, "sslmode"), "require") << where;
    EXPECT_EQ(warning_of(where), "") << where;
  }
  for (const char* where :
       {"postgres://ada@localhost/shop", "postgres://ada@127.0.0.1/shop", "host=/var/run/x",
        "host=db.example hostaddr=127.0.0.1", "host=::1", "dbname=shop", "host=127.1.2.3"}) {
    EXPECT_EQ(setting_of(where, "sslmode"), "") << where;
    EXPECT_EQ(warning_of(where), "") << where;
  }
}

TEST(PostgresDefaults, give_way_to_what_is_said_and_warn_where_that_is_dangerous) {
  for (const char* mode : {"disable", "allow", "prefer"}) {
    const std::string where = "postgres://ada@db.example/shop?sslmode=" + std::string(mode);
    EXPECT_EQ(setting_of(where, "sslmode"), mode);
    EXPECT_TRUE(warning_of(where).contains("db.example is on another machine")) << where;
  }
  for (const char* mode : {"require", "verify-ca", "verify-full"}) {
    const std::string where = "postgres://ada@db.example/shop?sslmode=" + std::string(mode);
    EXPECT_EQ(setting_of(where, "sslmode"), mode);
    EXPECT_EQ(warning_of(where), "") << where;
  }
  std::string heard;
  (void)open_postgres("postgres://ada@db.example/shop?sslmode=disable",
                      {.on_warning = [&heard](std::string_view text) { heard = text; }});
  EXPECT_TRUE(heard.contains("sslmode=verify-full")) << heard;
}

}  // namespace
}  // namespace eider
