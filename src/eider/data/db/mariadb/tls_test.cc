#include <mysql.h>

#include <fstream>

#include "eider/io/tls/test_pki.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::TestCertificate;
using detail::tls::TestFiles;
using detail::tls::to_pem;

class MariadbOverTls : public ::testing::Test {
 protected:
  MariadbOverTls() {
    serve("IP:127.0.0.1");
    write("authority.pem", authority_);
    write("other.pem", make_authority("other"));
  }

  /// Restarts the server with a certificate for these names.
  void serve(const std::string& names) {
    const TestCertificate own =
        make_test_certificate({.name = "a server", .names = names}, &authority_);
    server_.serve_tls(to_pem(*own.certificate), to_pem(*own.key));
  }
  /// Returns "3", or why the connection failed.
  std::string ask_of(const std::string& host, const std::string& login = "tester") {
    return on_loop_.run([](Database on) -> Task<std::string> {
      std::string told;
      try {
        told = std::to_string((co_await on.one<int>("select 3")).value_or(0));
      } catch (const db::Failure& failure) {
        told = failure.what();
      }
      co_return told;
    }(open(host, "verify&tls-ca=" + files_.path("authority.pem"), login)));
  }

  static TestCertificate make_authority(const std::string& name) {
    return make_test_certificate({.name = name, .is_authority = true});
  }
  void write(const std::string& name, const TestCertificate& certificate) {
    std::ofstream(files_.path(name)) << to_pem(*certificate.certificate);
  }
  [[nodiscard]] Database open(const std::string& host, const std::string& tls,
                              const std::string& login = "tester") const {
    return open_mariadb(server_.url(host, login) + "?tls=" + tls,
                        {.wait_time_max = std::chrono::seconds(2)});
  }

  const TestCertificate authority_ = make_authority("authority");
  TestFiles files_;
  MariadbServer server_;
  TestLoop on_loop_;
};

TEST_F(MariadbOverTls, rows_of_all_sizes_come_from_the_server_that_was_meant) {
  on_loop_.run([](Database on) -> Task<> {
    for (const int size : {1, 8'000, 16'384, 70'000, 1'000'000}) {
      const auto rows =
          co_await on.all<std::string>("select repeat('x', $1) from seq_1_to_9", size);
      EXPECT_EQ(rows.size(), 9U);
      EXPECT_EQ(rows.back().size(), static_cast<std::size_t>(size));
    }
    const auto cipher = *co_await on.one<db::Row>("show status like 'Ssl_cipher'");
    EXPECT_NE(*cipher["Value"].text(), "");
  }(open("127.0.0.1", "verify&tls-ca=" + files_.path("authority.pem"))));
}

TEST_F(MariadbOverTls, a_password_goes_to_the_server_that_was_meant) {
  EXPECT_EQ(ask_of("127.0.0.1", "secret:p%40ss%2Fw%3Ard"), "3");
  EXPECT_NE(ask_of("127.0.0.1", "secret:wr0ng"), "3");
}

/// Without a limit of the wait: a call that waited for a retry would not end.
TEST_F(MariadbOverTls, a_login_that_no_wait_cures_fails_at_once) {
  on_loop_.run([](std::vector<std::string> all) -> Task<> {
    for (const std::string& where : all) {
      const Database on = open_mariadb(where, {.wait_time_max = std::chrono::hours(1)});
      for (int i = 0; i < 3; ++i) {
        auto asked = on.exec("select 1");
        const db::Failure failure = co_await failure_of(asked);
        EXPECT_EQ(failure.kind(), db::FailureKind::lost) << where;
        EXPECT_TRUE(std::string_view(failure.what()).contains("cannot connect")) << where;
      }
    }
  }({server_.url("127.0.0.1", "secret:wr0ng"), server_.url("127.0.0.1", "nobody"),
                                                server_.url("127.0.0.1") + "_absent"}));
}

bool is_about_certificate(const std::string& text) {
  return text.contains("certificate") || text.contains("Hostname verification failed");
}

/// "localhost" is connected to at 127.0.0.1: the certificate must contain the host as written.
TEST_F(MariadbOverTls, a_certificate_names_the_host_as_it_was_written) {
  EXPECT_EQ(ask_of("127.0.0.1"), "3");
  EXPECT_TRUE(is_about_certificate(ask_of("localhost"))) << ask_of("localhost");
  serve("DNS:localhost");
  EXPECT_EQ(ask_of("localhost"), "3");
#if MARIADB_PACKAGE_VERSION_ID < 30400  // later ones accept any name at a loopback address
  EXPECT_TRUE(is_about_certificate(ask_of("127.0.0.1"))) << ask_of("127.0.0.1");
#endif
  serve("DNS:db.example, DNS:localhost.example, DNS:*.localhost");
  EXPECT_TRUE(is_about_certificate(ask_of("localhost"))) << ask_of("localhost");
}

TEST_F(MariadbOverTls, another_authority_is_refused_where_one_is_asked_for) {
  on_loop_.run([](Database on) -> Task<> {
    auto refused = on.exec("select 1");
    const db::Failure failure = co_await failure_of(refused);
    EXPECT_EQ(failure.kind(), db::FailureKind::lost);
    EXPECT_TRUE(std::string(failure.what()).contains("certificate")) << failure.what();
  }(open("127.0.0.1", "verify&tls-ca=" + files_.path("other.pem"))));
  if (!server_.is_mysql()) {  // its authentication requires a verified server
    // Without verification, any certificate is accepted.
    on_loop_.run([](Database on) -> Task<> {
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(open("127.0.0.1", "required")));
  }
}

}  // namespace
}  // namespace eider
