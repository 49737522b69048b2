// A server with several certificates, with client certificates, and with files that change.
#include "eider/io/tls/server_tls.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/test_pair.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls_client.h"

namespace eider::detail::tls {
namespace {

class Lines final : public LogSink {
 public:
  void write(LogLevel level, std::string_view line) noexcept override {
    said.emplace_back(level, line);
  }
  std::vector<std::pair<LogLevel, std::string>> said;
};

class Servers : public ::testing::Test {
 protected:
  Servers() {
    now = Instant(std::chrono::hours(1));
    today = std::time(nullptr);
  }

  TestCertificate issue(const std::string& names, const std::string& kind = "P-256") {
    return make_test_certificate({.name = names, .names = names, .kind = kind}, &authority);
  }
  void start() {
    const auto made = ServerTls::make(options, &lines,
                                      {.steady = [] { return now; }, .wall = [] { return today; }});
    ASSERT_TRUE(made.has_value()) << made.error().detail();
    server = *made;
  }

  /// The fingerprint of the certificate that a client gets for `name`; empty if it is rejected.
  std::string shown(const std::string& name, const char* signatures = nullptr) {
    TestRawClient client;
    if (signatures != nullptr) {
      SSL_CTX_set1_sigalgs_list(client.context.get(), signatures);
    }
    SSL* const ssl = client.open();
    SSL_set_connect_state(ssl);
    SSL_set_tlsext_host_name(ssl, name.c_str());
    const auto seal = server->make();
    return client.shake_hands(*seal) ? fingerprint(*SSL_get0_peer_certificate(ssl)) : "";
  }
  /// The OCSP response that a client gets; empty if there is none.
  std::string stapled(const std::string& name) {
    TestRawClient client;
    SSL_CTX_set_tlsext_status_type(client.context.get(), TLSEXT_STATUSTYPE_ocsp);
    SSL* const ssl = client.open();
    SSL_set_connect_state(ssl);
    SSL_set_tlsext_host_name(ssl, name.c_str());
    const auto seal = server->make();
    EXPECT_TRUE(client.shake_hands(*seal));
    const unsigned char* response = nullptr;
    const long bytes = SSL_get_tlsext_status_ocsp_resp(ssl, &response);
    return bytes < 0 ? ""
                     : std::string(reinterpret_cast<const char*>(response),
                                   static_cast<std::size_t>(bytes));
  }
  static std::string print(const TestCertificate& of) { return fingerprint(*of.certificate); }
  static void pass_a_second() { now += ServerTls::kLookEvery; }

  static inline Instant now;
  static inline std::time_t today;
  static inline std::atomic<Instant> shared_now{Instant(std::chrono::hours(1))};
  TestFiles files;
  TlsOptions options;
  Lines lines;
  TestCertificate authority = make_test_certificate({.name = "Authority", .is_authority = true});
  std::shared_ptr<ServerTls> server;
};

TEST_F(Servers, show_the_certificate_that_is_asked_for) {
  const auto one = issue("DNS:one.example");
  const auto two = issue("DNS:two.example,DNS:*.two.example");
  options.certificate = files.write("one", one);
  options.additional_certificates = {files.write("two", two)};
  start();
  EXPECT_EQ(shown("one.example"), print(one));
  EXPECT_EQ(shown("TWO.example"), print(two));
  EXPECT_EQ(shown("www.two.example"), print(two));
  EXPECT_EQ(shown("a.www.two.example"), print(one)) << "the default";
  EXPECT_EQ(shown("elsewhere.example"), print(one)) << "the default";
}

TEST_F(Servers, show_each_client_the_kind_of_key_that_it_can_check) {
  const auto rsa = issue("DNS:a.example", "RSA:2048");
  const auto ecdsa = issue("DNS:a.example");
  options.certificate = files.write("rsa", rsa);
  options.additional_certificates = {files.write("ecdsa", ecdsa)};
  start();
  EXPECT_EQ(shown("a.example", "RSA-PSS+SHA256"), print(rsa));
  EXPECT_EQ(shown("a.example", "ECDSA+SHA256"), print(ecdsa));
  EXPECT_EQ(shown("b.example", "ECDSA+SHA256"), "") << "the default is RSA";
}

TEST_F(Servers, choose_among_a_thousand_names) {
  options.certificate = files.write("default", issue("DNS:default.example"));
  std::string many = "DNS:host0.example";
  for (int host = 1; host < 1000; ++host) {
    many += ",DNS:host" + std::to_string(host) + ".example";
  }
  const auto other = issue(many);
  options.additional_certificates = {files.write("many", other)};
  start();
  EXPECT_EQ(shown("host999.example"), print(other));
  EXPECT_NE(shown("host1000.example"), print(other));
}

TEST_F(Servers, make_their_own_certificate_without_files_and_say_so) {
  start();
  ASSERT_EQ(lines.said.size(), 1U);
  EXPECT_EQ(lines.said[0].first, LogLevel::warning);
  EXPECT_NE(lines.said[0].second.find("only for development"), std::string::npos);
  EXPECT_NE(lines.said[0].second.find(shown("localhost")), std::string::npos);
}

TEST_F(Servers, show_a_new_certificate_within_a_second) {
  const auto before = issue("DNS:a.example");
  const auto after = issue("DNS:a.example");
  options.certificate = files.write("a", before);
  start();
  static_cast<void>(files.write("a", after));
  EXPECT_EQ(shown("a.example"), print(before)) << "looked at just now";
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(after));
  ASSERT_EQ(lines.said.size(), 1U);
  EXPECT_EQ(lines.said[0], std::pair(LogLevel::info, std::string("TLS: certificates reloaded")));
}

TEST_F(Servers, keep_connections_that_stand_or_are_about_to) {
  options.certificate = files.write("a", issue("DNS:a.example"));
  start();
  TestRawClient standing;
  SSL_set_connect_state(standing.open());
  const auto old = server->make();
  ASSERT_TRUE(standing.shake_hands(*old));
  TestRawClient coming;
  SSL_set_connect_state(coming.open());
  const auto young = server->make();
  static_cast<void>(files.write("a", issue("DNS:a.example")));
  pass_a_second();
  EXPECT_NE(shown("a.example"), "");
  EXPECT_TRUE(coming.shake_hands(*young));
  ASSERT_EQ(SSL_write(standing.ssl.get(), "hello", 5), 5);
  Buffer wire;
  standing.pump(*old, wire);
  EXPECT_EQ(standing.heard, "hello");
}

TEST_F(Servers, keep_the_old_certificate_when_the_new_one_is_wrong) {
  const auto before = issue("DNS:a.example");
  const auto after = issue("DNS:a.example");
  options.certificate = files.write("a", before);
  start();
  files.write("a.pem", to_pem(*after.certificate).substr(0, 100));  // incomplete
  for (int second = 0; second < 3; ++second) {
    pass_a_second();
    EXPECT_EQ(shown("a.example"), print(before));
  }
  ASSERT_EQ(lines.said.size(), 1U) << "one line";
  EXPECT_NE(lines.said[0].second.find("does not contain a certificate in PEM format"),
            std::string::npos);
  EXPECT_NE(lines.said[0].second.find("stays in use"), std::string::npos);
  files.write("a.pem", to_pem(*after.certificate));  // the key file still has the old key
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(before));
  files.write("a.key", to_pem(*after.key));
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(after));
}

TEST_F(Servers, keep_the_old_certificate_when_the_new_one_is_weak_or_gone) {
  const auto before = issue("DNS:a.example");
  options.certificate = files.write("a", before);
  start();
  static_cast<void>(files.write("a", issue("DNS:a.example", "RSA:1024")));
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(before));
  EXPECT_NE(lines.said.back().second.find("ee key too small; the previous certificates"),
            std::string::npos)
      << lines.said.back().second;
  std::filesystem::remove(options.certificate.certificate);
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(before));
}

TEST_F(Servers, follow_exchanged_links) {
  const auto before = issue("DNS:a.example");
  const auto after = issue("DNS:a.example");
  std::filesystem::create_directories(files.path("v1"));
  std::filesystem::create_directories(files.path("v2"));
  static_cast<void>(files.write("v1/a", before));
  static_cast<void>(files.write("v2/a", after));
  std::filesystem::create_symlink("v1", files.path("live"));
  options.certificate = {.certificate = files.path("live/a.pem"), .key = files.path("live/a.key")};
  start();
  std::filesystem::create_symlink("v2", files.path("live.new"));
  std::filesystem::rename(files.path("live.new"), files.path("live"));
  pass_a_second();
  EXPECT_EQ(shown("a.example"), print(after));
}

TEST_F(Servers, serve_threads_while_one_of_them_loads_a_new_certificate) {
  const TestCertificate rounds[] = {issue("DNS:a.example"), issue("DNS:a.example")};
  options.certificate = files.write("a", rounds[0]);
  const auto made = ServerTls::make(options, nullptr, {.steady = [] { return shared_now.load(); }});
  ASSERT_TRUE(made.has_value());
  std::atomic<int> open{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      for (int count = 0; count < 30; ++count) {
        TestRawClient client;
        SSL_set_connect_state(client.open());
        const auto seal = (*made)->make();
        open += client.shake_hands(*seal) ? 1 : 0;
      }
    });
  }
  for (int round = 0; round < 10; ++round) {
    static_cast<void>(files.write("a", rounds[round % 2]));
    shared_now = shared_now.load() + ServerTls::kLookEvery;
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(open, 90);
}

TEST_F(Servers, staple_a_response_and_its_successor) {
  const auto mine = issue("DNS:a.example");
  options.certificate = files.write("a", mine, &authority);
  options.certificate.ocsp = files.write("a.ocsp", make_test_ocsp(mine, authority));
  start();
  EXPECT_EQ(stapled("a.example"), *read_small_file(options.certificate.ocsp));
  files.write("a.ocsp", make_test_ocsp(mine, authority, V_OCSP_CERTSTATUS_GOOD, 2 * kTestDay));
  pass_a_second();
  EXPECT_EQ(stapled("a.example"), *read_small_file(options.certificate.ocsp));
}

TEST_F(Servers, staple_the_response_of_the_certificate_that_is_shown) {
  const auto other = issue("DNS:b.example");
  options.certificate = files.write("a", issue("DNS:a.example"), &authority);
  options.additional_certificates = {files.write("b", other, &authority)};
  options.additional_certificates[0].ocsp = files.write("b.ocsp", make_test_ocsp(other, authority));
  start();
  EXPECT_EQ(stapled("b.example"), *read_small_file(options.additional_certificates[0].ocsp));
  EXPECT_EQ(stapled("a.example"), "");
}

TEST_F(Servers, staple_nothing_that_has_become_too_old) {
  const auto mine = issue("DNS:a.example");
  options.certificate = files.write("a", mine, &authority);
  options.certificate.ocsp = files.write("a.ocsp", make_test_ocsp(mine, authority));
  start();
  EXPECT_NE(stapled("a.example"), "");
  today += 2 * kTestDay;
  EXPECT_EQ(stapled("a.example"), "");
}

TEST_F(Servers, ask_nobody_without_being_told) {
  options.certificate = files.write("a", issue("DNS:a.example"));
  options.clients = TlsClients::required;
  EXPECT_FALSE(ServerTls::make(options, nullptr).has_value()) << "who vouches for them?";
}

/// A server that requests client certificates.
class KnownClients : public Servers {
 protected:
  KnownClients() {
    options.certificate = files.write("a", issue("DNS:a.example"));
    options.client_authorities = files.write("clients.pem", to_pem(*authority.certificate));
    client_options.trusts_system = false;
    client_options.authorities = options.client_authorities;
  }

  void show(const TestCertificate& mine) {
    const TlsCertificate mine_files = files.write("client", mine);
    client_options.certificate = mine_files.certificate;
    client_options.key = mine_files.key;
  }

  TestPair connect() {
    const auto context = TlsClientContext::make(client_options).value();
    TestPair pair(context->make_seal({.host = "a.example"}).value(), server->make());
    static_cast<void>(pair.shake_hands());
    return pair;
  }

  TlsFailure refusal() { return dynamic_cast<const TlsSeal&>(*connect().server).reason(); }

  TlsClientOptions client_options;
};

TEST_F(KnownClients, are_told_apart) {
  options.clients = TlsClients::required;
  start();
  const auto alice =
      make_test_certificate({.name = "alice", .names = "email:a@b.example"}, &authority);
  show(alice);
  const TestPair pair = connect();
  ASSERT_EQ(pair.server->state(), SealState::open) << pair.server->failure();
  const ClientCertificate client = pair.server->tls().client;
  EXPECT_EQ(client.subject, "CN=alice");
  EXPECT_EQ(client.issuer, "CN=Authority");
  EXPECT_EQ(client.names, std::vector<std::string>{"email:a@b.example"});
  EXPECT_EQ(client.fingerprint, print(alice));
  EXPECT_TRUE(pair.client->tls().client.subject.empty()) << "it is the client";
}

TEST_F(KnownClients, are_known_when_they_resume) {
  options.clients = TlsClients::required;
  start();
  show(make_test_certificate({.name = "alice"}, &authority));
  const auto context = TlsClientContext::make(client_options).value();
  for (const bool is_resumed : {false, true}) {
    TestPair pair(context->make_seal({.host = "a.example"}).value(), server->make());
    ASSERT_TRUE(pair.shake_hands());
    EXPECT_EQ(pair.server->tls().is_resumed, is_resumed);
    EXPECT_EQ(pair.server->tls().client.subject, "CN=alice");
  }
}

TEST_F(KnownClients, are_refused_without_a_certificate_where_it_is_required) {
  options.clients = TlsClients::required;
  start();
  EXPECT_EQ(refusal(), TlsFailure::certificate_missing);
}

TEST_F(KnownClients, may_be_anonymous_where_they_are_only_asked) {
  options.clients = TlsClients::optional;
  start();
  const TestPair pair = connect();
  ASSERT_EQ(pair.server->state(), SealState::open);
  EXPECT_TRUE(pair.server->tls().client.subject.empty());
}

TEST_F(KnownClients, are_refused_with_a_wrong_certificate) {
  const auto foreign = make_test_certificate({.name = "Other", .is_authority = true});
  for (const TlsClients clients : {TlsClients::optional, TlsClients::required}) {
    options.clients = clients;
    start();
    show(make_test_certificate({.name = "alice"}, &foreign));
    EXPECT_EQ(refusal(), TlsFailure::certificate_untrusted);
    show(make_test_certificate({.name = "alice"}));
    EXPECT_EQ(refusal(), TlsFailure::certificate_self_signed);
    show(make_test_certificate({.from = -2 * kTestDay, .until = -kTestDay}, &authority));
    EXPECT_EQ(refusal(), TlsFailure::certificate_expired);
    show(make_test_certificate({.from = kTestDay, .until = 2 * kTestDay}, &authority));
    EXPECT_EQ(refusal(), TlsFailure::certificate_not_yet_valid);
  }
}

TEST_F(KnownClients, are_asked_again_when_the_authorities_change) {
  options.clients = TlsClients::required;
  start();
  show(make_test_certificate({.name = "alice"}, &authority));
  const auto context = TlsClientContext::make(client_options).value();
  const auto reason = [&] {
    TestPair pair(context->make_seal({.host = "a.example"}).value(), server->make());
    static_cast<void>(pair.shake_hands());
    return dynamic_cast<const TlsSeal&>(*pair.server).reason();
  };
  EXPECT_EQ(reason(), TlsFailure::none);
  const auto others = make_test_certificate({.name = "Others", .is_authority = true});
  files.write("clients.pem", to_pem(*others.certificate));
  pass_a_second();
  EXPECT_EQ(reason(), TlsFailure::certificate_untrusted) << "not even by a session";
}

}  // namespace
}  // namespace eider::detail::tls
