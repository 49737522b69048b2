// Certificates and keys from files: each error is reported with its file and its solution.
#include "eider/io/tls/identity.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/test_pki.h"

namespace eider::detail::tls {
namespace {

class Identities : public ::testing::Test {
 protected:
  [[nodiscard]] std::string fault(const TlsCertificate& from) const {
    const auto loaded = load_identity(from, now);
    return loaded ? "" : loaded.error().detail();
  }
  [[nodiscard]] std::string warning(const TlsCertificate& from) const {
    const auto loaded = load_identity(from, now);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().detail();
    return loaded && !loaded->warnings.empty() ? loaded->warnings.front() : "";
  }

  TestFiles files;
  std::time_t now = std::time(nullptr);
  TestCertificate authority = make_test_certificate({.name = "Authority", .is_authority = true});
  TestCertificate good = make_test_certificate(
      {.names = "DNS:A.example,DNS:*.b.example,IP:10.0.0.1,email:x@y.example"}, &authority);
};

TEST_F(Identities, are_loaded_with_their_chain_and_names) {
  const auto loaded = load_identity(files.write("a", good, &authority), now);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().detail();
  EXPECT_EQ(loaded->names, (std::vector<std::string>{"a.example", "*.b.example"}));
  EXPECT_EQ(sk_X509_num(loaded->chain.get()), 1);
  EXPECT_TRUE(loaded->warnings.empty());
}

TEST_F(Identities, may_be_in_one_file_with_the_key) {
  const std::string both =
      files.write("both.pem", to_pem(*good.key) + "text between\n" + to_pem(*good.certificate));
  EXPECT_EQ(fault({.certificate = both, .key = "", .ocsp = ""}), "");
}

TEST_F(Identities, name_the_file_that_is_missing) {
  TlsCertificate from = files.write("a", good);
  from.key = files.path("none.key");
  EXPECT_EQ(fault(from), "TLS: " + from.key + " cannot be read: No such file or directory");
  from.certificate = files.path("none.pem");
  EXPECT_EQ(fault(from), "TLS: " + from.certificate + " cannot be read: No such file or directory");
  from.certificate = files.path("");
  EXPECT_NE(fault(from).find("Is a directory"), std::string::npos) << fault(from);
}

TEST_F(Identities, tell_who_may_not_read_a_file) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may read everything";
  }
  const TlsCertificate from = files.write("a", good);
  ::chmod(from.key.c_str(), 0);
  EXPECT_EQ(
      fault(from),
      "TLS: " + from.key +
          " cannot be read: Permission denied; let this process's user or group read the file");
}

TEST_F(Identities, tell_what_a_file_lacks) {
  TlsCertificate from = files.write("a", good);
  for (const std::string_view content : {"", "hello", "-----BEGIN CERTIFICATE-----\nMIIB"}) {
    files.write("a.pem", content);
    EXPECT_EQ(
        fault(from),
        "TLS: " + from.certificate +
            " does not contain a certificate in PEM format (\"-----BEGIN CERTIFICATE-----\")");
  }
  from = files.write("a", good);
  files.write("a.key", to_pem(*good.certificate));
  EXPECT_EQ(fault(from),
            "TLS: " + from.key +
                " does not contain a private key in PEM format (\"-----BEGIN PRIVATE KEY-----\")");
  files.write("a.key", std::string(2'000'000, 'x'));
  EXPECT_NE(fault(from).find("larger than 1 MiB"), std::string::npos);
}

TEST_F(Identities, tell_that_a_key_has_a_passphrase) {
  const TlsCertificate from = files.write("a", good);
  files.write("a.key", to_pem(*good.key, "secret"));
  EXPECT_EQ(fault(from),
            "TLS: " + from.key +
                " has a passphrase: remove the passphrase with \"openssl pkey -in KEY -out NEW\"");
}

TEST_F(Identities, tell_that_a_key_is_anothers) {
  TlsCertificate from = files.write("a", good, &authority);
  files.write("a.key", to_pem(*make_test_certificate({}).key));
  EXPECT_EQ(fault(from),
            "TLS: " + from.key + " does not match the certificate in " + from.certificate);
  files.write("a.key", to_pem(*authority.key));
  EXPECT_EQ(fault(from),
            "TLS: " + from.certificate + " must start with the server's own certificate");
}

TEST_F(Identities, are_taken_but_warned_of) {
  const auto old =
      make_test_certificate({.names = "DNS:a.example", .from = -3 * kTestDay, .until = -kTestDay});
  EXPECT_NE(warning(files.write("old", old)).find("expired on 20"), std::string::npos);
  const auto young =
      make_test_certificate({.names = "DNS:a.example", .from = kTestDay, .until = 2 * kTestDay});
  EXPECT_NE(warning(files.write("young", young)).find("is valid only from 20"), std::string::npos);
  EXPECT_NE(warning(files.write("nameless", make_test_certificate({}))).find("alternative name"),
            std::string::npos);
}

TEST_F(Identities, have_a_response_of_their_authority) {
  TlsCertificate from = files.write("a", good, &authority);
  from.ocsp = files.write("a.ocsp", make_test_ocsp(good, authority));
  const auto loaded = load_identity(from, now);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_TRUE(loaded->warnings.empty());
  EXPECT_EQ(loaded->ocsp,
            make_test_ocsp(good, authority).substr(0, 0) + *read_small_file(from.ocsp));
  EXPECT_NEAR(static_cast<double>(loaded->ocsp_until), static_cast<double>(now + kTestDay), 5);
}

TEST_F(Identities, leave_out_a_response_that_does_not_fit) {
  TlsCertificate from = files.write("a", good, &authority);
  const auto other = make_test_certificate({}, &authority);
  const std::pair<std::string, std::string> cases[] = {
      {"hello", "the file is not an OCSP response in DER format"},
      {"", "the file is not an OCSP response in DER format"},
      {std::string("\x30\x03\x0a\x01\x06", 5), "the OCSP response is not successful"},
      {make_test_ocsp(other, authority), "the OCSP response is for another certificate"},
      {make_test_ocsp(good, authority, V_OCSP_CERTSTATUS_REVOKED),
       "the OCSP response does not confirm the certificate"},
      {make_test_ocsp(good, authority, V_OCSP_CERTSTATUS_GOOD, -60),
       "the OCSP response is too old; fetch a new one"}};
  for (const auto& [der, words] : cases) {
    from.ocsp = files.write("a.ocsp", der);
    EXPECT_EQ(warning(from), "TLS: " + from.ocsp + " is not stapled: " + words);
  }
  from.ocsp = files.path("none.ocsp");
  EXPECT_EQ(warning(from), "TLS: " + from.ocsp + " cannot be read: No such file or directory");
}

TEST_F(Identities, need_the_issuer_to_check_a_response) {
  TlsCertificate from = files.write("a", good);
  from.ocsp = files.write("a.ocsp", make_test_ocsp(good, authority));
  EXPECT_NE(warning(from).find("does not contain the issuer's certificate"), std::string::npos);
}

TEST_F(Identities, survive_every_cut_of_their_files) {
  TlsCertificate from = files.write("a", good, &authority);
  from.ocsp = files.write("a.ocsp", make_test_ocsp(good, authority));
  for (const std::string& path : {from.certificate, from.key, from.ocsp}) {
    const std::string whole = *read_small_file(path);
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7) {
      std::ofstream(path, std::ios::binary) << whole.substr(0, bytes);
      static_cast<void>(load_identity(from, now));
    }
    std::ofstream(path, std::ios::binary) << whole;
  }
  EXPECT_EQ(warning(from), "");
}

TEST_F(Identities, of_development_are_for_this_machine_and_for_a_while) {
  const Identity made = make_self_signed(now);
  EXPECT_EQ(made.names, std::vector<std::string>{"localhost"});
  const ClientCertificate words = describe(*made.certificate);
  EXPECT_EQ(words.subject, "CN=localhost");
  EXPECT_EQ(words.names, (std::vector<std::string>{"DNS:localhost", "IP:127.0.0.1", "IP:::1"}));
  EXPECT_EQ(X509_verify(made.certificate.get(), made.key.get()), 1);
  std::time_t later = now + 91 * kTestDay;
  EXPECT_LT(X509_cmp_time(X509_get0_notAfter(made.certificate.get()), &later), 0);
  EXPECT_NE(fingerprint(*made.certificate), fingerprint(*make_self_signed(now).certificate));
}

TEST_F(Identities, are_described_in_full) {
  const ClientCertificate words = describe(*good.certificate);
  EXPECT_EQ(words.subject, "CN=test");
  EXPECT_EQ(words.issuer, "CN=Authority");
  EXPECT_EQ(words.names, (std::vector<std::string>{"DNS:A.example", "DNS:*.b.example",
                                                   "IP:10.0.0.1", "email:x@y.example"}));
  EXPECT_EQ(words.fingerprint.size(), 64U);
  EXPECT_EQ(words.serial.size(), 4U);
}

}  // namespace
}  // namespace eider::detail::tls
