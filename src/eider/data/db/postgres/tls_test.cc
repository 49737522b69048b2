#include "eider/io/tls/test_pki.h"

#include "eider/data/db/postgres/cancel_request.h"
#include "eider/data/db/postgres/copy.h"
#include "eider/data/db/postgres/postgres_subscriber.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"
#include "tests/support/recording_relay.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::TestCertificate;
using detail::tls::TestFiles;
using detail::tls::to_pem;

class PostgresOverTls : public ::testing::Test {
 protected:
  PostgresOverTls() {
    const TestCertificate authority = make_authority("authority");
    const TestCertificate own =
        make_test_certificate({.name = "localhost", .names = "DNS:localhost"}, &authority);
    server_.serve_tls(to_pem(*own.certificate), to_pem(*own.key));
    write("authority.pem", authority);
    write("other.pem", make_authority("other"));
  }

  static TestCertificate make_authority(const std::string& name) {
    return make_test_certificate({.name = name, .is_authority = true});
  }
  void write(const std::string& name, const TestCertificate& certificate) {
    std::ofstream(files_.path(name)) << to_pem(*certificate.certificate);
  }
  [[nodiscard]] Database open(const std::string& host, const std::string& authority) const {
    return open_postgres("host=" + host +
                             " hostaddr=127.0.0.1 port=" + std::to_string(server_.port()) +
                             " user=tester dbname=postgres sslmode=verify-full sslrootcert=" +
                             files_.path(authority),
                         {.wait_time_max = std::chrono::seconds(2)});
  }

  TestFiles files_;
  PostgresServer server_;
  TestLoop on_loop_;
};

TEST_F(PostgresOverTls, rows_of_all_sizes_come_from_the_server_that_was_meant) {
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<bool>("select ssl from pg_stat_ssl where pid = pg_backend_pid()"),
              true);
    for (const int size : {1, 8'000, 16'384, 70'000, 1'000'000}) {
      const auto rows =
          co_await on.all<std::string>("select repeat('x', $1) from generate_series(1, 9)", size);
      EXPECT_EQ(rows.size(), 9U);
      EXPECT_EQ(rows.back().size(), static_cast<std::size_t>(size));
    }
  }(open("localhost", "authority.pem")));
}

TEST_F(PostgresOverTls, copies_go_both_ways_and_failures_are_heard_amid_them) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.script("create table copied(n bigint primary key, words text)");
    const std::string words(1000, 'x');
    CopyIn in = copy_in(on, "copy copied from stdin");
    for (int n = 0; n < 20'000; ++n) {
      co_await in.write(std::to_string(n) + "\t" + words + "\n");
    }
    EXPECT_EQ((co_await in.finish()).rows, 20'000);
    std::size_t bytes = 0;
    CopyOut out = copy_out(on, "copy (select words from copied) to stdout");
    while (const auto piece = co_await out.next()) {
      bytes += piece->size();
    }
    EXPECT_EQ(bytes, 20'000U * 1001);
    CopyIn twice = copy_in(on, "copy copied from stdin");
    co_await twice.write("1\ta\n");
    bool was_told = false;
    for (int i = 0; i < 5000 && !was_told; ++i) {
      try {
        co_await sleep_for(std::chrono::milliseconds(1));
        co_await twice.write(std::to_string(100'000 + i) + "\t" + words + "\n");
      } catch (const db::Failure& failure) {
        was_told = failure.kind() == db::FailureKind::unique;
      }
    }
    EXPECT_TRUE(was_told);
  }(open("localhost", "authority.pem")));
}

TEST_F(PostgresOverTls, large_values_go_both_ways) {
  on_loop_.run([](Database on) -> Task<> {
    const std::string text(3'000'000, 'x');
    const auto [first, second] =
        co_await on.batch(db::row<std::string>("select $1::text || '1'", text),
                          db::row<std::string>("select $1::text || '2'", text));
    EXPECT_EQ(first, text + "1");
    EXPECT_EQ(second, text + "2");
    // Not joined: each in a separate round.
    const auto [third, fourth] =
        co_await on.all(db::row<std::string>("select pg_sleep(0)::text || $1::text", text),
                        db::row<std::string>("select pg_sleep(0)::text || $1::text", text));
    EXPECT_EQ(third.value(), text);
    EXPECT_EQ(fourth.value(), text);
  }(open("localhost", "authority.pem")));
}

TEST_F(PostgresOverTls, a_subscriber_hears_all_of_a_large_transaction) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    co_await on.exec(
        "select pg_notify('a', i || repeat('x', 7000)) from generate_series(0, 999) i");
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE((co_await news.receive()).payload.starts_with(std::to_string(i) + "x"));
    }
  }(open("localhost", "authority.pem")));
}

/// The server receives cancel requests through a relay.
TEST_F(PostgresOverTls, requests_to_cancel_show_no_key_to_others) {
  for (const char* mode : {"require", "verify-full"}) {
    RecordingRelay relay(static_cast<std::uint16_t>(server_.port()));
    const std::size_t before = server_.said().size();
    on_loop_.run([](Database on) -> Task<> {
      auto slow = on.exec("select pg_sleep(600)");
      EXPECT_EQ((co_await failure_of(slow)).kind(), db::FailureKind::expired);
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(open_postgres("host=localhost hostaddr=127.0.0.1 user=tester dbname=postgres port=" +
                                     std::to_string(relay.port()) + " sslmode=" + mode +
                                     " sslrootcert=" + files_.path("authority.pem"),
                                 {.connections_max = 1,
                                  .statements_max = 0,
                                  .limits = {.statement_time_max = std::chrono::seconds(1)}})));
    EXPECT_TRUE(server_.said().substr(before).contains("due to user request")) << mode;
    const std::vector<std::string> sent = relay.sent();
    EXPECT_GE(sent.size(), 2U);
    for (const std::string& one : sent) {
      // A request for TLS, which is always the same, followed by TLS records.
      EXPECT_TRUE(one.starts_with(std::string("\0\0\0\10\4\xD2\x16\x2F\x16", 9))) << mode;
      EXPECT_FALSE(one.contains("\x04\xD2\x16\x2E")) << mode;
    }
  }
}

TEST_F(PostgresOverTls, a_server_without_tls_gets_no_key_of_a_session_with_tls) {
  RecordingRelay relay(static_cast<std::uint16_t>(server_.port()));
  RecordingRelay without_tls(static_cast<std::uint16_t>(PostgresServer::shared().port()));
  on_loop_.run([](std::uint16_t port, std::uint16_t plain) -> Task<> {
    const std::string where = "host=127.0.0.1 user=tester dbname=postgres sslmode=require port=";
    const std::string key = where + std::to_string(port);
    const db::postgres::ConnectionHandle session(PQconnectdb(key.c_str()));
    EXPECT_EQ(PQsslInUse(session.get()), 1);
    const auto server = SocketAddress::parse("127.0.0.1", plain);
    EXPECT_TRUE(co_await db::postgres::request_cancel(*server, {.process = 1, .secret = 2},
                                                      db::postgres::tls_like(session.get()),
                                                      std::chrono::seconds(30)));
  }(relay.port(), without_tls.port()));
  EXPECT_EQ(without_tls.sent().at(0), std::string("\0\0\0\10\4\xD2\x16\x2F", 8));
}

TEST_F(PostgresOverTls, another_authority_and_another_name_are_refused) {
  for (const auto& [host, authority] :
       {std::pair("localhost", "other.pem"), std::pair("db.example", "authority.pem"),
        std::pair("localhost", "absent.pem")}) {
    const db::Failure failure = on_loop_.run([](Database on) -> Task<db::Failure> {
      auto pending = on.exec("select 1");
      co_return co_await failure_of(pending);
    }(open(host, authority)));
    EXPECT_EQ(failure.kind(), db::FailureKind::lost) << host << failure.what();
    EXPECT_NE(std::string(failure.what()).find("certificate"), std::string::npos) << failure.what();
  }
}

TEST_F(PostgresOverTls, a_certificate_whose_time_is_over_is_refused) {
  const TestCertificate authority = make_authority("authority");
  const TestCertificate old = make_test_certificate(
      {.name = "localhost", .names = "DNS:localhost", .until = -60}, &authority);
  server_.serve_tls(to_pem(*old.certificate), to_pem(*old.key));
  write("authority.pem", authority);
  const db::Failure failure = on_loop_.run([](Database on) -> Task<db::Failure> {
    auto pending = on.exec("select 1");
    co_return co_await failure_of(pending);
  }(open("localhost", "authority.pem")));
  EXPECT_EQ(failure.kind(), db::FailureKind::lost);
  EXPECT_NE(std::string(failure.what()).find("certificate"), std::string::npos) << failure.what();
}

}  // namespace
}  // namespace eider
