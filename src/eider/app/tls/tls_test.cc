// A complete app over TLS on a local port, tested with curl and openssl.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/tls/tls.h"
#include "eider/io/tls/test_pki.h"
#include "eider/server/server.h"
#include "eider/web/middleware/https.h"

namespace eider {
namespace {

using detail::tls::make_test_certificate;
using detail::tls::TestCertificate;
using detail::tls::TestFiles;
using detail::tls::to_pem;

int close_pipe(std::FILE* pipe) {
  return ::pclose(pipe);
}

/// Returns the output of a shell command, which is stopped after twenty seconds.
std::string run(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      ::popen(("timeout 20 sh -c '" + command + "' 2>&1").c_str(), "r"), close_pipe);
  std::string said;
  std::array<char, 4096> room{};
  while (const std::size_t count = std::fread(room.data(), 1, room.size(), pipe.get())) {
    said.append(room.data(), count);
  }
  return said;
}

std::string who(const Request& request) {
  const std::optional<TlsInfo> secured = request.tls();
  if (!secured) {
    return "in the clear";
  }
  return std::string(secured->version) + " for " + secured->server_name + " by " +
         (secured->client.subject.empty() ? "somebody" : secured->client.subject);
}

class SecureApp : public ::testing::Test {
 protected:
  SecureApp() {
    options.certificate = files.write("a", issue("DNS:a.example"), &authority);
    options.additional_certificates = {files.write("b", issue("DNS:*.b.example"), &authority)};
    files.write("ca.pem", to_pem(*authority.certificate));
    options.protocols = {"http/1.1"};
    app.get("/who", [](const Request& request) { return who(request); });
  }
  ~SecureApp() override {
    if (server != nullptr) {
      server->stop_now();
      server->wait();
    }
  }

  TestCertificate issue(const std::string& names, const std::string& name = "test") {
    return make_test_certificate({.name = name, .names = names}, &authority);
  }

  void serve() {
    auto seals = make_server_tls(options, nullptr);
    ASSERT_TRUE(seals.has_value()) << seals.error().detail();
    service = app.make_service().value();
    ServerOptions places;
    places.port = 0;
    places.threads = 1;
    places.is_secure = true;
    places.seals = *seals;
    places.additional_addresses = {{.host = "127.0.0.1", .port = 0}};
    server = std::make_unique<Server>(*service, places);
    const auto started = server->start();
    ASSERT_TRUE(started.has_value()) << started.error().detail();
  }

  [[nodiscard]] std::string curl(const std::string& host, const std::string& more = "") const {
    const std::string port = std::to_string(server->port());
    return run("curl -sS --max-time 10 --cacert " + files.path("ca.pem") + " --resolve " + host +
               ":" + port + ":127.0.0.1 " + more + " https://" + host + ":" + port + "/who");
  }
  [[nodiscard]] std::string s_client(const std::string& more) const {
    return run("openssl s_client -connect 127.0.0.1:" + std::to_string(server->port()) +
               " -CAfile " + files.path("ca.pem") + " " + more + " </dev/null");
  }

  TestFiles files;
  TestCertificate authority = make_test_certificate({.name = "Authority", .is_authority = true});
  TlsOptions options;
  App app;
  std::unique_ptr<RequestService> service;
  std::unique_ptr<Server> server;
};

TEST_F(SecureApp, shows_each_name_its_certificate) {
  serve();
  EXPECT_EQ(curl("a.example"), "TLSv1.3 for a.example by somebody");
  EXPECT_EQ(curl("www.b.example"), "TLSv1.3 for www.b.example by somebody");
  EXPECT_NE(curl("c.example").find("no alternative certificate subject name matches"),
            std::string::npos);
  EXPECT_EQ(curl("a.example", "--tls-max 1.2"), "TLSv1.2 for a.example by somebody");
}

TEST_F(SecureApp, tells_the_handler_who_its_client_is) {
  options.clients = TlsClients::optional;
  options.client_authorities = files.path("ca.pem");
  serve();
  static_cast<void>(files.write("alice", issue("email:alice@example.org", "alice")));
  EXPECT_EQ(curl("a.example"), "TLSv1.3 for a.example by somebody");
  EXPECT_EQ(
      curl("a.example", "--cert " + files.path("alice.pem") + " --key " + files.path("alice.key")),
      "TLSv1.3 for a.example by CN=alice");
}

TEST_F(SecureApp, serves_no_strangers_where_a_certificate_is_required) {
  options.clients = TlsClients::required;
  options.client_authorities = files.path("ca.pem");
  serve();
  for (const char* const version : {"1.2", "1.3"}) {
    EXPECT_EQ(curl("a.example", "--tls-max " + std::string(version)).find("TLSv"),
              std::string::npos);
  }
  // OpenSSL 3.5 writes the name without spaces.
  const std::string said = s_client("-tls1_3");
  const std::string_view names = "Acceptable client certificate CA names\n";
  EXPECT_TRUE(said.contains(std::string(names) + "CN = Authority") ||
              said.contains(std::string(names) + "CN=Authority"))
      << said;
}

TEST_F(SecureApp, staples_its_authoritys_word) {
  const auto mine = issue("DNS:a.example");
  options.certificate = files.write("a", mine, &authority);
  options.certificate.ocsp = files.write("a.ocsp", detail::tls::make_test_ocsp(mine, authority));
  serve();
  for (const char* const version : {"-tls1_2", "-tls1_3"}) {
    const std::string said = s_client(std::string(version) + " -status -servername a.example");
    EXPECT_NE(said.find("OCSP Response Status: successful (0x0)"), std::string::npos) << said;
    EXPECT_NE(said.find("Cert Status: good"), std::string::npos);
  }
  EXPECT_NE(s_client("-status -servername x.b.example").find("OCSP response: no response sent"),
            std::string::npos);
}

TEST_F(SecureApp, sends_clients_to_https_and_has_them_remember_it) {
  app.use(redirect_to_https(8443), hsts(std::chrono::hours(1)));
  serve();
  const std::string clear = server->addresses().at(1);
  const std::string sent =
      run("curl -sS --max-time 10 -i -H \"Host: a.example\" http://" + clear + "/who?x=1");
  EXPECT_NE(sent.find("308 Permanent Redirect"), std::string::npos) << sent;
  EXPECT_NE(sent.find("Location: https://a.example:8443/who?x=1"), std::string::npos) << sent;
  EXPECT_EQ(sent.find("Strict-Transport-Security"), std::string::npos) << "RFC 6797, section 7.2";
  const std::string secure = curl("a.example", "-i");
  EXPECT_NE(secure.find("Strict-Transport-Security: max-age=3600"), std::string::npos) << secure;
  EXPECT_NE(secure.find("TLSv1.3 for a.example"), std::string::npos);
}

TEST_F(SecureApp, is_turned_on_by_its_options) {
  add_tls(app, options);
  ServerOptions places;
  places.port = 0;
  places.is_secure = true;
  places.certificate = files.path("none.pem");
  places.key = files.path("none.key");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(app.serve(places), 1) << "the command line's certificate comes first";
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.ends_with(" error TLS: " + places.certificate +
                             " cannot be read: No such file or directory "
                             "code=certificate-not-readable\n"))
      << said;
}

TEST_F(SecureApp, reports_an_address_whose_certificate_cannot_be_used) {
  add_tls(app, options);
  const auto said_of = [this](ListenAt place) {
    ServerOptions places;
    places.port = 0;
    place.port = 0;
    places.additional_addresses = {std::move(place)};
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(app.serve(places), 1);
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string certificate = files.path("none.pem");
  EXPECT_TRUE(said_of({.certificate = certificate})
                  .ends_with("has a certificate, but no TLS. Set is_secure "
                             "code=invalid-certificate\n"));
  EXPECT_TRUE(said_of({.is_secure = true, .key = certificate})
                  .ends_with("has a key without a certificate code=invalid-certificate\n"));
  EXPECT_TRUE(said_of({.is_secure = true, .certificate = certificate})
                  .ends_with("code=certificate-not-readable\n"));
}

TEST_F(SecureApp, reads_no_certificate_of_the_server_that_no_address_shows) {
  options.certificate = {.certificate = files.path("server.pem"), .key = files.path("server.key")};
  add_tls(app, options);
  const auto said_of = [this](bool is_secure, ListenAt place) {
    ServerOptions places;
    places.port = 0;
    places.is_secure = is_secure;
    place.port = 0;
    place.is_secure = true;
    places.additional_addresses = {std::move(place)};
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(app.serve(places), 1);
    return ::testing::internal::GetCapturedStderr();
  };
  const std::string own = files.path("own.pem");
  EXPECT_TRUE(said_of(false, {.certificate = own}).contains(own));
  EXPECT_TRUE(said_of(true, {.certificate = own}).contains("server.pem"));
  EXPECT_TRUE(said_of(false, {}).contains("server.pem"));
  EXPECT_TRUE(said_of(false, {.versions = HttpVersions::http1}).contains("server.pem"));
}

TEST_F(SecureApp, reports_the_code_of_the_files_that_it_reads) {
  add_tls(app, options);
  const std::string invalid = files.write("invalid.pem", "no PEM");
  const std::string missing = files.path("none.pem");
  const auto said_of = [this](const std::string& of_server, std::vector<ListenAt> addresses) {
    ServerOptions places;
    places.certificate = of_server;
    places.key = of_server;
    for (ListenAt& each : addresses) {
      each.port = 0;
      each.is_secure = true;
      each.key = each.certificate;
    }
    places.additional_addresses = std::move(addresses);
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(app.serve(places), 1);
    return ::testing::internal::GetCapturedStderr();
  };
  const auto is_invalid = [](const std::string& said) {
    return said.contains("invalid.pem") && said.ends_with("code=invalid-certificate\n");
  };
  const auto is_missing = [](const std::string& said) {
    return said.contains("none.pem") && said.ends_with("code=certificate-not-readable\n");
  };
  EXPECT_TRUE(is_invalid(said_of(missing, {{.certificate = invalid}})));
  EXPECT_TRUE(is_missing(said_of(invalid, {{.certificate = missing}})));
  EXPECT_TRUE(is_invalid(said_of("", {{.certificate = invalid}, {.certificate = missing}})));
  EXPECT_TRUE(is_missing(said_of("", {{.certificate = missing}, {.certificate = invalid}})));
  EXPECT_TRUE(is_missing(said_of(missing, {{}})));
  EXPECT_TRUE(is_invalid(said_of(invalid, {{}})));
  EXPECT_TRUE(is_missing(said_of(missing, {{.versions = HttpVersions::http1}})));
  EXPECT_TRUE(is_invalid(said_of(invalid, {{.versions = HttpVersions::http1}})));
  EXPECT_TRUE(is_missing(said_of(missing, {{.certificate = invalid}, {}})));
}

TEST_F(SecureApp, needs_http_2_for_an_address_that_accepts_nothing_else) {
  ServerOptions places;
  places.port = 0;
  places.additional_addresses = {{.port = 0, .versions = HttpVersions::http2}};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(app.serve(places), 1);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.ends_with("declared in eider/http2.h code=protocol-not-supported\n")) << said;
}

}  // namespace
}  // namespace eider
