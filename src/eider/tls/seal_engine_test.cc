// Both ends in memory: handshakes, data, ends, cut anywhere.
#include <gtest/gtest.h>

#include "eider/tls/detail/test_pair.h"
#include "eider/tls/detail/test_pki.h"
#include "eider/tls/tls.h"
#include "eider/tls/tls_client.h"

namespace eider {
namespace {

using detail::make_test_certificate;
using detail::TestFiles;
using detail::TestPair;
using detail::to_pem;

class Seals : public testing::Test {
 protected:
  Seals() {
    const auto authority = make_test_certificate({.name = "Authority", .is_authority = true});
    const auto mine =
        make_test_certificate({.name = "a.example", .names = "DNS:a.example"}, &authority);
    options.certificate = files.write("a", mine);
    options.protocols = {"h2", "http/1.1"};
    client_options = {.trusts_system = false,
                      .authorities = files.write("ca.pem", to_pem(*authority.certificate))};
  }

  TestPair connect(const std::vector<std::string>& protocols = {"http/1.1"}) {
    if (maker == nullptr) {
      maker = make_server_tls(options, nullptr).value();
      context = TlsClientContext::make(client_options).value();
    }
    auto client = context->make_seal({.host = "a.example", .protocols = protocols});
    return {*std::move(client), maker->make()};
  }

  TestFiles files;
  TlsOptions options;
  TlsClientOptions client_options;
  std::shared_ptr<SealMaker> maker;
  std::shared_ptr<TlsClientContext> context;
};

TEST_F(Seals, AgreeOnTls13AndTheProtocolAndTellTheName) {
  TestPair pair = connect({"http/1.1", "h2"});
  ASSERT_TRUE(pair.shake_hands()) << pair.client->failure() << pair.server->failure();
  const SecuredBy facts = pair.server->secured_by();
  EXPECT_EQ(facts.version, "TLSv1.3");
  EXPECT_EQ(facts.cipher, "TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(facts.protocol, "h2");
  EXPECT_EQ(facts.server_name, "a.example");
  EXPECT_FALSE(facts.is_resumed);
  EXPECT_TRUE(facts.client.fingerprint.empty());
}

TEST_F(Seals, CarryBytesInBothDirections) {
  TestPair pair = connect();
  ASSERT_TRUE(pair.shake_hands());
  const std::string large(100'000, 'x');
  ASSERT_TRUE(pair.client->write("hello", pair.to_server));
  ASSERT_TRUE(pair.client->write(large, pair.to_server));
  ASSERT_TRUE(pair.server->write("welcome", pair.to_client));
  pair.shake_hands();
  EXPECT_EQ(pair.at_server, "hello" + large);
  EXPECT_EQ(pair.at_client, "welcome");
}

TEST_F(Seals, ResumeASession) {
  connect().shake_hands();
  TestPair first = connect();
  ASSERT_TRUE(first.shake_hands());
  TestPair second = connect();
  ASSERT_TRUE(second.shake_hands());
  EXPECT_TRUE(second.client->secured_by().is_resumed);
  EXPECT_TRUE(second.server->secured_by().is_resumed);
}

}  // namespace
}  // namespace eider
