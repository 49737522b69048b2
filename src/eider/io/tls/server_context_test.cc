// The settings that a server accepts, one by one, against a client that accepts everything.
#include <gtest/gtest.h>

#include "eider/io/tls/server_context.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/test_raw_peer.h"
#include "eider/io/tls/tls.h"
#include "eider/io/tls/tls_seal.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::SessionPtr;
using detail::tls::TestFiles;
using detail::tls::TestRawClient;

class Defaults : public ::testing::Test {
 protected:
  void serve(const std::string& kind = "P-256") {
    options.certificate =
        files.write("a", make_test_certificate({.names = "DNS:a.example", .kind = kind}));
    maker = make_server_tls(options, nullptr).value();
  }

  bool connect() {
    if (maker == nullptr) {
      serve();
    }
    SSL_set_connect_state(client.open());
    server = maker->make();
    return client.shake_hands(*server);
  }

  [[nodiscard]] TlsFailure reason() const { return dynamic_cast<TlsSeal&>(*server).reason(); }
  [[nodiscard]] std::string cipher() const {
    return SSL_CIPHER_get_name(SSL_get_current_cipher(client.ssl.get()));
  }
  void only_tls12() const { SSL_CTX_set_max_proto_version(client.context.get(), TLS1_2_VERSION); }

  TestFiles files;
  TlsOptions options;
  std::shared_ptr<SealMaker> maker;
  std::unique_ptr<Seal> server;
  TestRawClient client;
};

TEST_F(Defaults, prefer_tls13) {
  ASSERT_TRUE(connect());
  EXPECT_EQ(SSL_version(client.ssl.get()), TLS1_3_VERSION);
}

TEST_F(Defaults, take_tls12) {
  only_tls12();
  ASSERT_TRUE(connect());
  EXPECT_EQ(SSL_version(client.ssl.get()), TLS1_2_VERSION);
  EXPECT_EQ(server->tls().version, "TLSv1.2");
}

TEST_F(Defaults, refuse_older_versions) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    SSL_CTX_set_max_proto_version(client.context.get(), version);
    EXPECT_FALSE(connect());
    EXPECT_EQ(reason(), TlsFailure::version) << server->failure();
  }
}

TEST_F(Defaults, can_ask_for_tls13) {
  options.version_min = TlsVersion::tls_1_3;
  only_tls12();
  EXPECT_FALSE(connect());
  EXPECT_EQ(reason(), TlsFailure::version);
}

TEST_F(Defaults, have_six_suites_of_tls12_and_no_others) {
  only_tls12();
  for (const char* const kind : {"P-256", "RSA:2048"}) {
    serve(kind);
    int accepted = 0;
    for (const char* const key : {"ECDSA", "RSA"}) {
      for (const char* const suite :
           {"AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"}) {
        SSL_CTX_set_cipher_list(
            client.context.get(),
            ("ECDHE-" + std::string(key) + "-" + suite + ":@SECLEVEL=0").c_str());
        accepted += connect() ? 1 : 0;
      }
    }
    EXPECT_EQ(accepted, 3) << kind;
    SSL_CTX_set_cipher_list(client.context.get(), "ALL:!AESGCM:!CHACHA20:eNULL:@SECLEVEL=0");
    EXPECT_FALSE(connect()) << cipher();
    EXPECT_EQ(reason(), TlsFailure::algorithms);
  }
}

TEST_F(Defaults, refuse_suites_without_forward_secrecy_or_authentication) {
  only_tls12();
  serve("RSA:2048");
  for (const char* const suites :
       {"AES128-GCM-SHA256", "AES256-SHA", "DHE-RSA-AES128-GCM-SHA256", "ADH-AES128-GCM-SHA256",
        "AECDH-AES128-SHA", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-NULL-SHA",
        "PSK-AES128-GCM-SHA256", "ECDHE-RSA-CAMELLIA128-SHA256"}) {
    ASSERT_EQ(SSL_CTX_set_cipher_list(client.context.get(),
                                      (std::string(suites) + ":@SECLEVEL=0").c_str()),
              1);
    EXPECT_FALSE(connect()) << suites;
  }
}

TEST_F(Defaults, choose_their_own_suite_among_the_clients) {
  SSL_CTX_set_ciphersuites(client.context.get(), "TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256");
  ASSERT_TRUE(connect());
  EXPECT_EQ(cipher(), "TLS_AES_128_GCM_SHA256");
  only_tls12();
  SSL_CTX_set_cipher_list(client.context.get(),
                          "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256");
  ASSERT_TRUE(connect());
  EXPECT_EQ(cipher(), "ECDHE-ECDSA-AES128-GCM-SHA256");
}

TEST_F(Defaults, give_chacha_to_who_puts_it_first) {
  SSL_CTX_set_ciphersuites(client.context.get(),
                           "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256");
  ASSERT_TRUE(connect());
  EXPECT_EQ(cipher(), "TLS_CHACHA20_POLY1305_SHA256");
}

TEST_F(Defaults, have_three_groups) {
  const std::pair<const char*, bool> groups[] = {{"X25519", true},     {"P-256", true},
                                                 {"P-384", true},      {"P-521", false},
                                                 {"ffdhe2048", false}, {"X448", false}};
  for (const auto& [group, is_accepted] : groups) {
    SSL_CTX_set1_groups_list(client.context.get(), group);
    EXPECT_EQ(connect(), is_accepted) << group;
  }
  SSL_CTX_set1_groups_list(client.context.get(), "P-384:P-256:X25519");
  ASSERT_TRUE(connect());
}

TEST_F(Defaults, refuse_to_sign_with_sha1) {
  only_tls12();
  serve("RSA:2048");
  SSL_CTX_set1_sigalgs_list(client.context.get(), "RSA+SHA1");
  EXPECT_FALSE(connect());
  EXPECT_EQ(reason(), TlsFailure::algorithms) << server->failure();
}

TEST_F(Defaults, refuse_short_keys_at_start) {
  options.certificate = files.write("weak", make_test_certificate({.kind = "RSA:1024"}));
  const auto made = make_server_tls(options, nullptr);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().detail(), "TLS: the certificate in " + files.path("weak.pem") +
                                       " cannot be used: ee key too small");
}

TEST_F(Defaults, compress_nothing) {
  only_tls12();
  SSL_CTX_clear_options(client.context.get(), SSL_OP_NO_COMPRESSION);
  ASSERT_TRUE(connect());
  EXPECT_EQ(SSL_get_current_compression(client.ssl.get()), nullptr);
}

TEST_F(Defaults, use_extended_master_secret_and_secure_renegotiation_info) {
  only_tls12();
  ASSERT_TRUE(connect());
  EXPECT_EQ(SSL_get_extms_support(client.ssl.get()), 1);
  EXPECT_EQ(SSL_get_secure_renegotiation_support(client.ssl.get()), 1);
}

TEST_F(Defaults, take_no_early_data) {
  ASSERT_TRUE(connect());
  std::array<char, 16> room{};
  SSL_read(client.ssl.get(), room.data(), room.size());  // the tickets
  const SessionPtr session(SSL_get1_session(client.ssl.get()));
  EXPECT_EQ(SSL_SESSION_is_resumable(session.get()), 1);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(session.get()), 0U);
}

TEST_F(Defaults, staple_nothing_without_a_response) {
  SSL_CTX_set_tlsext_status_type(client.context.get(), TLSEXT_STATUSTYPE_ocsp);
  ASSERT_TRUE(connect());
  const unsigned char* response = nullptr;
  EXPECT_EQ(SSL_get_tlsext_status_ocsp_resp(client.ssl.get(), &response), -1);
}

TEST_F(Defaults, refuse_protocols_without_a_name) {
  serve();
  for (const std::string& name : {std::string(), std::string(256, 'x')}) {
    options.protocols = {"http/1.1", name};
    EXPECT_FALSE(make_server_tls(options, nullptr).has_value());
  }
  options.protocols = {std::string(255, 'x')};
  EXPECT_TRUE(make_server_tls(options, nullptr).has_value());
}

}  // namespace
}  // namespace eider
