// A client with valid and invalid servers: which it trusts, for which name, and the reason if not.
#include "eider/io/tls/tls_client.h"

#include <gtest/gtest.h>

#include "eider/io/tls/client_sessions.h"
#include "eider/io/tls/test_pair.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls.h"

namespace eider {
namespace {

using detail::tls::kTestDay;
using detail::tls::make_test_certificate;
using detail::tls::TestCertificate;
using detail::tls::TestFiles;
using detail::tls::TestPair;
using detail::tls::TestRawPeer;
using detail::tls::TestSubject;
using detail::tls::to_pem;

class Clients : public ::testing::Test {
 protected:
  Clients() {
    options.trusts_system = false;
    options.authorities = files.write("ca.pem", to_pem(*authority.certificate));
  }

  /// The result of a connection to `host` with a server that has that certificate.
  TlsFailure outcome(const TestCertificate& shown, const std::string& host = "a.example",
                     const TestCertificate* chain = nullptr) {
    TlsOptions server_options;
    server_options.certificate = files.write("server", shown, chain);
    const auto server = make_server_tls(server_options, nullptr);
    EXPECT_TRUE(server.has_value()) << server.error().detail();
    const auto context = TlsClientContext::make(options).value();
    TestPair pair(context->make_seal({.host = host}).value(), (*server)->make());
    const bool is_open = pair.shake_hands();
    sentence = pair.client->failure();
    const TlsFailure reason = dynamic_cast<const TlsSeal&>(*pair.client).reason();
    EXPECT_EQ(is_open, reason == TlsFailure::none) << pair.server->failure();
    return reason;
  }
  TlsFailure outcome(const TestSubject& subject, const std::string& host = "a.example") {
    return outcome(make_test_certificate(subject, &authority), host);
  }

  TestFiles files;
  TestCertificate authority = make_test_certificate({.name = "Authority", .is_authority = true});
  TlsClientOptions options;
  std::string sentence;
};

TEST_F(Clients, trust_whom_their_authority_vouches_for) {
  EXPECT_EQ(outcome({.names = "DNS:a.example"}), TlsFailure::none) << sentence;
}

TEST_F(Clients, check_the_name) {
  struct Case {
    std::string names;
    std::string host;
    bool is_right;
  };
  const Case cases[] = {{"DNS:a.example", "a.example", true},
                        {"DNS:a.example", "A.Example", true},
                        {"DNS:a.example", "a.example.", true},
                        {"DNS:b.example,DNS:a.example", "a.example", true},
                        {"DNS:*.example.org", "www.example.org", true},
                        {"DNS:*.example.org", "example.org", false},
                        {"DNS:*.example.org", "a.b.example.org", false},
                        {"DNS:w*.example.org", "www.example.org", false},
                        {"DNS:*", "example", false},
                        {"DNS:b.example", "a.example", false},
                        {"DNS:xa.example", "a.example", false},
                        {"DNS:a.example.org", "a.example", false},
                        {"IP:127.0.0.1", "127.0.0.1", true},
                        {"IP:127.0.0.1", "127.0.0.2", false},
                        {"DNS:127.0.0.1", "127.0.0.1", false},
                        {"IP:::1", "::1", true},
                        {"IP:::1", "::2", false},
                        {"email:a@a.example", "a.example", false}};
  for (const auto& [names, host, is_right] : cases) {
    EXPECT_EQ(outcome({.names = names}, host),
              is_right ? TlsFailure::none : TlsFailure::certificate_name)
        << names << " " << host;
  }
  EXPECT_EQ(outcome({.name = "a.example"}), TlsFailure::certificate_name) << "no common names";
}

TEST_F(Clients, say_what_is_wrong_with_a_certificate) {
  EXPECT_EQ(outcome({.names = "DNS:a.example", .from = -2 * kTestDay, .until = -kTestDay}),
            TlsFailure::certificate_expired);
  EXPECT_EQ(sentence, "the certificate has expired (certificate has expired)");
  EXPECT_EQ(outcome({.names = "DNS:a.example", .from = kTestDay, .until = 2 * kTestDay}),
            TlsFailure::certificate_not_yet_valid);
  EXPECT_EQ(outcome(make_test_certificate({.names = "DNS:a.example"})),
            TlsFailure::certificate_self_signed);
  EXPECT_EQ(sentence, "the certificate is self-signed and not trusted (self-signed certificate)");
  const auto other = make_test_certificate({.name = "Other", .is_authority = true});
  const auto foreign = make_test_certificate({.names = "DNS:a.example"}, &other);
  EXPECT_EQ(outcome(foreign), TlsFailure::certificate_untrusted);
  EXPECT_EQ(outcome(foreign, "a.example", &other), TlsFailure::certificate_untrusted);
}

TEST_F(Clients, refuse_a_certificate_that_an_ordinary_one_has_signed) {
  const auto ordinary = make_test_certificate({.name = "Ordinary"}, &authority);
  const auto forged = make_test_certificate({.names = "DNS:a.example"}, &ordinary);
  EXPECT_EQ(outcome(forged, "a.example", &ordinary), TlsFailure::certificate_refused);
  EXPECT_EQ(sentence, "the certificate is not acceptable (invalid CA certificate)");
}

TEST_F(Clients, follow_a_chain) {
  const auto middle = make_test_certificate({.name = "Middle", .is_authority = true}, &authority);
  const auto leaf = make_test_certificate({.names = "DNS:a.example"}, &middle);
  EXPECT_EQ(outcome(leaf, "a.example", &middle), TlsFailure::none) << sentence;
  EXPECT_EQ(outcome(leaf), TlsFailure::certificate_untrusted) << "the middle is missing";
}

TEST_F(Clients, trust_nobody_without_authorities) {
  options.authorities = {};
  EXPECT_EQ(outcome({.names = "DNS:a.example"}), TlsFailure::certificate_untrusted);
}

TEST_F(Clients, take_anything_where_they_are_told_to) {
  options.verify = TlsVerify::nothing;
  EXPECT_EQ(outcome(make_test_certificate({.names = "DNS:b.example"})), TlsFailure::none);
}

TEST_F(Clients, tell_the_server_why) {
  TlsOptions server_options;
  server_options.certificate = files.write("s", make_test_certificate({.names = "DNS:a.example"}));
  const auto server = make_server_tls(server_options, nullptr).value();
  const auto context = TlsClientContext::make(options).value();
  TestPair pair(context->make_seal({.host = "a.example"}).value(), server->make());
  EXPECT_FALSE(pair.shake_hands());
  EXPECT_EQ(pair.server->failure(), "the peer rejected the connection (tlsv1 alert unknown ca)");
}

TEST_F(Clients, refuse_hosts_and_protocols_that_are_none) {
  const auto context = TlsClientContext::make(options).value();
  for (const std::string& host :
       {std::string(), std::string("."), std::string("a b"), std::string("a/b"),
        std::string("a:443"), std::string("[::1]"), std::string("a\0b", 3), std::string(254, 'a'),
        std::string("*.example.org"), std::string(".example.org"), std::string("u@a.example")}) {
    EXPECT_FALSE(context->make_seal({.host = host}).has_value()) << host;
  }
  EXPECT_FALSE(context->make_seal({.host = "a.example", .protocols = {""}}).has_value());
}

TEST_F(Clients, name_a_file_that_is_no_good) {
  options.authorities = files.path("none.pem");
  const auto missing = TlsClientContext::make(options);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().detail(),
            "TLS: " + options.authorities + " cannot be read: No such file or directory");
  options.authorities = {};
  options.certificate = files.write("x.pem", "nothing");
  EXPECT_FALSE(TlsClientContext::make(options).has_value());
}

/// Servers with settings that Eider's own servers never have.
class OddServers : public Clients {
 protected:
  OddServers() : peer(TLS_server_method()) {
    const auto shown = make_test_certificate({.names = "DNS:a.example"}, &authority);
    SSL_CTX_use_certificate(peer.context.get(), shown.certificate.get());
    SSL_CTX_use_PrivateKey(peer.context.get(), shown.key.get());
  }
  TlsFailure outcome() {
    SSL_set_accept_state(peer.open());
    const auto context = TlsClientContext::make(options).value();
    const auto client = context->make_seal({.host = "a.example"}).value();
    const bool is_open = peer.shake_hands(*client);
    sentence = client->failure();
    EXPECT_EQ(is_open, client->reason() == TlsFailure::none);
    return client->reason();
  }
  TestRawPeer peer;
};

TEST_F(OddServers, are_served_when_they_are_good) {
  EXPECT_EQ(outcome(), TlsFailure::none);
  SSL_CTX_set_max_proto_version(peer.context.get(), TLS1_2_VERSION);
  EXPECT_EQ(outcome(), TlsFailure::none);
}

TEST_F(OddServers, are_refused_with_old_versions_and_weak_suites) {
  SSL_CTX_set_max_proto_version(peer.context.get(), TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(peer.context.get(), "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0");
  EXPECT_EQ(outcome(), TlsFailure::refused_by_peer) << "nothing in common";
  SSL_CTX_set_cipher_list(peer.context.get(), "ALL:@SECLEVEL=0");
  SSL_CTX_set_max_proto_version(peer.context.get(), TLS1_1_VERSION);
  EXPECT_EQ(outcome(), TlsFailure::refused_by_peer) << sentence;
}

TEST_F(OddServers, are_refused_with_a_weak_certificate) {
  const auto weak =
      make_test_certificate({.names = "DNS:a.example", .kind = "RSA:1024"}, &authority);
  peer = TestRawPeer(TLS_server_method());
  SSL_CTX_use_certificate(peer.context.get(), weak.certificate.get());
  SSL_CTX_use_PrivateKey(peer.context.get(), weak.key.get());
  EXPECT_EQ(outcome(), TlsFailure::certificate_weak) << sentence;
  const auto sha1 = make_test_certificate({.names = "DNS:a.example", .digest = "SHA1"}, &authority);
  peer = TestRawPeer(TLS_server_method());
  SSL_CTX_use_certificate(peer.context.get(), sha1.certificate.get());
  SSL_CTX_use_PrivateKey(peer.context.get(), sha1.key.get());
  EXPECT_EQ(outcome(), TlsFailure::certificate_weak) << sentence;
}

TEST(ClientSessions, keep_few_of_few_servers) {
  detail::tls::ClientSessions sessions;
  const auto session = [] { return detail::tls::SessionPtr(SSL_SESSION_new()); };
  for (int count = 0; count < 20; ++count) {
    sessions.keep("a", session());
  }
  const auto newest = session();
  SSL_SESSION_set_protocol_version(newest.get(), TLS1_3_VERSION);
  SSL_SESSION_up_ref(newest.get());
  sessions.keep("a", detail::tls::SessionPtr(newest.get()));
  EXPECT_EQ(sessions.take("a").get(), newest.get());
  EXPECT_EQ(sessions.take("b"), nullptr);
  for (std::size_t server = 0; server < detail::tls::ClientSessions::kServersMax; ++server) {
    sessions.keep(std::to_string(server), session());
  }
  EXPECT_EQ(sessions.take("a"), nullptr) << "longest not heard of";
  EXPECT_NE(sessions.take("0"), nullptr);
}

}  // namespace
}  // namespace eider
