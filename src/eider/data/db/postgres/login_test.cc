// Logins: passwords with SCRAM, TLS modes, and client certificates.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/postgres/postgres_error.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/tls/test_pki.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::TestCertificate;
using detail::tls::TestFiles;
using detail::tls::to_pem;
using namespace std::chrono_literals;

/// A server with different rules for each role, and the files of its clients.
class StrictServer {
 public:
  StrictServer() {
    const TestCertificate authority = make_authority("authority");
    const TestCertificate own =
        make_test_certificate({.name = "localhost", .names = "DNS:localhost"}, &authority);
    server.set_rules(
        "local   all all       trust\n"
        "host    all scram     127.0.0.1/32 scram-sha-256\n"
        "hostssl all secure    127.0.0.1/32 trust\n"
        "hostssl all certified 127.0.0.1/32 trust clientcert=verify-full\n");
    server.serve_tls(to_pem(*own.certificate), to_pem(*own.key), to_pem(*authority.certificate));
    const TestCertificate other = make_authority("other");
    write("authority.pem", to_pem(*authority.certificate));
    write("other.pem", to_pem(*other.certificate));
    write_client("certified", {.name = "certified"}, authority);
    write_client("somebody", {.name = "somebody"}, authority);
    write_client("late", {.name = "certified", .until = -60}, authority);
    write_client("foreign", {.name = "certified"}, other);
    write("passwords", "*:*:*:scram:p@ss/w\\:rd\n");
    write("wrong-passwords", "*:*:*:scram:guess\n");
    TestLoop loop;
    loop.run([](Database on) -> Task<> {
      co_await on.script(
          "set password_encryption = 'scram-sha-256'; create role scram login password "
          "'p@ss/w:rd'; create role secure login; create role certified login");
    }(open_postgres(server.where())));
  }

  static StrictServer& shared() {
    static StrictServer server;
    return server;
  }

  [[nodiscard]] std::string where(const std::string& how,
                                  const std::string& host = "localhost") const {
    return "host=" + host + " hostaddr=127.0.0.1 port=" + std::to_string(server.port()) +
           " dbname=postgres " + how;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return files_.path(name); }
  /// With a client certificate.
  [[nodiscard]] std::string as(const std::string& client) const {
    return "user=certified sslmode=require sslcert=" + file(client + ".pem") +
           " sslkey=" + file(client + ".key");
  }

  PostgresServer server;

 private:
  static TestCertificate make_authority(const std::string& name) {
    return make_test_certificate({.name = name, .is_authority = true});
  }
  /// libpq rejects keys and password files that other users can read.
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name)) << content;
    std::filesystem::permissions(file(name), std::filesystem::perms(0600));
  }
  void write_client(const std::string& name, const detail::tls::TestSubject& subject,
                    const TestCertificate& authority) const {
    const TestCertificate made = make_test_certificate(subject, &authority);
    write(name + ".pem", to_pem(*made.certificate));
    write(name + ".key", to_pem(*made.key));
  }

  TestFiles files_;
};

/// said  "tls" or "plain" for a successful login; otherwise a part of the error
struct Attempt {
  std::string where;
  std::string_view said;
};

class PostgresLogin : public ::testing::Test {
 protected:
  static const StrictServer& strict() { return StrictServer::shared(); }

  static Task<> ask(const std::string where, std::string* said) {
    const Database base = open_postgres(where, {.wait_time_max = 2s});
    try {
      const auto is_tls =
          co_await base.one<bool>("select ssl from pg_stat_ssl where pid = pg_backend_pid()");
      *said = *is_tls ? "tls" : "plain";
    } catch (const db::Failure& failure) {
      *said = failure.what();
      EXPECT_EQ(failure.kind(), db::FailureKind::lost) << failure.what();
    }
  }
  /// Runs all attempts concurrently, because rejected ones retry for some time.
  void check(const std::vector<Attempt>& attempts) {
    std::vector<std::string> said(attempts.size());
    on_loop_.run([](const std::vector<Attempt>* all, std::vector<std::string>* into) -> Task<> {
      Scope asking;
      for (std::size_t i = 0; i < all->size(); ++i) {
        asking.start(ask((*all)[i].where, &(*into)[i]));
      }
      co_await asking.join();
    }(&attempts, &said));
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      EXPECT_TRUE(said[i].contains(attempts[i].said)) << attempts[i].where << ": " << said[i];
      EXPECT_FALSE(said[i].contains("p@ss") || said[i].contains("guess")) << said[i];
    }
  }

  TestLoop on_loop_;
};

TEST_F(PostgresLogin, a_password_is_proved_by_scram_and_no_other_lets_in) {
  const std::string port = std::to_string(strict().server.port());
  const std::string plain = "user=scram sslmode=disable ";
  constexpr std::string_view kWrong = "password authentication failed for user \"scram\"";
  check({
      {strict().where(plain + "password=p@ss/w:rd"), "plain"},
      {strict().where("user=scram sslmode=require password=p@ss/w:rd"), "tls"},
      {"postgres://scram:p%40ss%2Fw%3Ard@127.0.0.1:" + port + "/postgres", "tls"},
      {strict().where(plain + "passfile=" + strict().file("passwords")), "plain"},
      {strict().where(plain + "password=guess"), kWrong},
      {strict().where("user=scram sslmode=require password=guess"), kWrong},
      {strict().where(plain + "passfile=" + strict().file("wrong-passwords")), kWrong},
      {strict().where(plain + "passfile=" + strict().file("absent")), "no password supplied"},
  });
}

TEST_F(PostgresLogin, a_password_comes_from_the_file_that_the_environment_names) {
  ::setenv("PGPASSFILE", strict().file("passwords").c_str(), 1);
  check({{strict().where("user=scram sslmode=disable"), "plain"}});
  ::unsetenv("PGPASSFILE");
}

TEST_F(PostgresLogin, a_wrong_password_ends_all_waiting_calls_after_a_few_attempts) {
  constexpr std::string_view kRefusal = "FATAL:  password authentication failed";
  const std::size_t before = strict().server.said().size();
  on_loop_.run([](Database on) -> Task<> {
    auto fail = [](Database with) -> Task<> {
      auto asked = with.exec("select 1");
      EXPECT_EQ((co_await failure_of(asked)).kind(), db::FailureKind::lost);
    };
    Scope all;
    for (int i = 0; i < 100; ++i) {
      all.start(fail(on));
    }
    co_await all.join();
  }(open_postgres(strict().where("user=scram sslmode=disable password=guess"),
                               {.connections_max = 4, .wait_time_max = 1h})));
  const std::string said = strict().server.said().substr(before);
  int refusals = 0;
  for (std::size_t at = 0; (at = said.find(kRefusal, at)) != std::string::npos; ++at) {
    ++refusals;
  }
  EXPECT_GE(refusals, 2);
  EXPECT_LE(refusals, 4);
}

/// Without a limit of the wait: a call that waited for a retry would not end.
TEST_F(PostgresLogin, a_login_that_no_wait_cures_fails_at_once) {
  const std::string user = "user=scram sslmode=disable password=p@ss/w:rd ";
  on_loop_.run(
      [](std::vector<std::string> all) -> Task<> {
        for (const std::string& where : all) {
          const Database on = open_postgres(where, {.wait_time_max = 1h});
          for (int i = 0; i < 3; ++i) {
            auto asked = on.exec("select 1");
            const db::Failure failure = co_await failure_of(asked);
            EXPECT_EQ(failure.kind(), db::FailureKind::lost) << where;
            const std::string_view why = failure.what();
            EXPECT_TRUE(why.contains("FATAL:  ") && !why.contains("LOCATION")) << why;
          }
        }
      }({strict().where("user=scram sslmode=disable password=guess"),
                                       strict().where("user=scram sslmode=require password=guess"),
                                       strict().where(user + "dbname=absent"),
                                       strict().where("user=somebody sslmode=disable")}));
}

TEST(PostgresLoginError, a_login_that_a_later_attempt_may_cure_is_not_rejected) {
  using db::postgres::read_login_error;
  const auto starting = read_login_error(
      "connection to server at \"::1\", port 1 failed: FATAL:  57P03: the database system is "
      "starting up\nLOCATION:  ProcessStartupPacket, postmaster.c:2354\n");
  EXPECT_FALSE(starting.is_rejected);
  EXPECT_EQ(starting.text,
            "connection to server at \"::1\", port 1 failed: FATAL:  the database system is "
            "starting up");
  EXPECT_FALSE(read_login_error("FATAL:  53300: too many clients already\n").is_rejected);
  EXPECT_FALSE(read_login_error("connection to server failed: Connection refused\n\tIs the server "
                                "running?\n")
                   .is_rejected);
  // Of several hosts, one rejects the login.
  EXPECT_TRUE(read_login_error("connection failed: Connection refused\nconnection failed: "
                               "FATAL:  28P01: password\n")
                  .is_rejected);
  EXPECT_TRUE(read_login_error("FATAL:  3D000: database \"x\" does not exist\n").is_rejected);
  EXPECT_EQ(read_login_error("FATAL:  28P0").text, "FATAL:  28P0");
}

TEST_F(PostgresLogin, channel_binding_that_is_required_is_had_or_nobody_is_told_a_password) {
  const std::string bound = "channel_binding=require password=p@ss/w:rd ";
  check({
      {strict().where(bound + "user=scram sslmode=require"), "tls"},
      {strict().where(
           bound + "user=scram sslmode=verify-full sslrootcert=" + strict().file("authority.pem")),
       "tls"},
      {strict().where(bound + "user=scram sslmode=disable"), "channel binding"},
      {strict().where(bound + "user=secure sslmode=require"), "channel binding"},
  });
}

TEST_F(PostgresLogin, each_mode_of_tls_takes_the_servers_that_it_should) {
  const std::string authority = " sslrootcert=" + strict().file("authority.pem");
  const std::string other = " sslrootcert=" + strict().file("other.pem");
  const auto secure = [](const std::string& mode, const std::string& host = "localhost") {
    return strict().where("user=secure sslmode=" + mode, host);
  };
  const auto without_tls = [](const std::string& mode) {
    return "host=localhost hostaddr=127.0.0.1 user=tester dbname=postgres port=" +
           std::to_string(PostgresServer::shared().port()) + " sslmode=" + mode;
  };
  check({
      {secure("disable"), "no encryption"},
      {secure("allow"), "tls"},
      {secure("prefer"), "tls"},
      {secure("require", "db.example"), "tls"},
      // A certificate that is specified is verified.
      {secure("require" + other), "certificate verify failed"},
      {secure("verify-ca" + authority, "db.example"), "tls"},
      {secure("verify-ca" + other), "certificate verify failed"},
      {secure("verify-full" + authority), "tls"},
      {secure("verify-full" + authority, "db.example"), "db.example"},
      {strict().where("user=scram password=p@ss/w:rd sslmode=allow"), "plain"},
      {without_tls("disable"), "plain"},
      {without_tls("allow"), "plain"},
      {without_tls("prefer"), "plain"},
      {without_tls("require"), "server does not support SSL"},
      {without_tls("verify-full" + authority), "server does not support SSL"},
  });
}

TEST_F(PostgresLogin, a_certificate_of_the_client_is_asked_for_and_looked_at) {
  check({
      {strict().where(strict().as("certified")), "tls"},
      {strict().where("user=certified sslmode=require"), "valid client certificate"},
      {strict().where(strict().as("somebody")), "authentication failed for user \"certified\""},
      {strict().where(strict().as("late")), "certificate expired"},
      {strict().where(strict().as("foreign")), "unknown ca"},
      {strict().where(strict().as("absent")), "certificate"},
  });
}

}  // namespace
}  // namespace eider
