// Authorities and certificates for tests, valid and invalid ones, in a temporary directory.
// Layering: must not be used outside of tests.
#pragma once

#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/tls/openssl.h"
#include "eider/io/tls/tls.h"
#include "eider/testkit/temp_directory.h"

namespace eider::detail::tls {

inline constexpr long kTestDay = 24L * 60 * 60;

struct TestCertificate {
  CertificatePtr certificate;
  KeyPtr key;
};

/// The contents of a test certificate.
struct TestSubject {
  std::string name = "test";
  /// "DNS:a.example,IP:127.0.0.1"; empty: none.
  std::string names = {};
  bool is_authority = false;
  /// Seconds from now.
  long from = -kTestDay;
  long until = kTestDay;
  /// "P-256", "RSA:2048", …
  std::string kind = "P-256";
  const char* digest = "SHA256";
};

inline KeyPtr make_test_key(const std::string& kind) {
  if (kind.starts_with("RSA:")) {
    return KeyPtr(EVP_RSA_gen(static_cast<unsigned>(std::stoul(kind.substr(4)))));
  }
  return KeyPtr(EVP_EC_gen(kind.c_str()));
}

inline void add_test_extension(X509& certificate, X509& issuer, int kind,
                               const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &issuer, &certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  ensure_memory(extension);
  X509_add_ext(&certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

/// issuer  null: self-signed
inline TestCertificate make_test_certificate(const TestSubject& subject,
                                             const TestCertificate* issuer = nullptr) {
  static long serial = 4096;
  TestCertificate made{CertificatePtr(X509_new()), make_test_key(subject.kind)};
  X509& certificate = *made.certificate;
  X509& signer = issuer == nullptr ? certificate : *issuer->certificate;
  X509_set_version(&certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(&certificate), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(&certificate), subject.from);
  X509_gmtime_adj(X509_getm_notAfter(&certificate), subject.until);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(&certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(subject.name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(&certificate, X509_get_subject_name(&signer));
  X509_set_pubkey(&certificate, made.key.get());
  if (!subject.names.empty()) {
    add_test_extension(certificate, signer, NID_subject_alt_name, subject.names);
  }
  add_test_extension(certificate, signer, NID_basic_constraints,
                     subject.is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  X509_sign(&certificate, issuer == nullptr ? made.key.get() : issuer->key.get(),
            EVP_get_digestbyname(subject.digest));
  return made;
}

inline std::string to_pem(X509& certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), &certificate);
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(count)};
}

/// passphrase  null: not encrypted
inline std::string to_pem(EVP_PKEY& key, const char* passphrase = nullptr) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), &key,
                                passphrase == nullptr ? nullptr : EVP_aes_128_cbc(), nullptr, 0,
                                nullptr, const_cast<char*>(passphrase));
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(bio.get(), &bytes);
  return {bytes, static_cast<std::size_t>(count)};
}

/// Makes an authority's statement about a certificate (OCSP), in DER.
inline std::string make_test_ocsp(const TestCertificate& about, const TestCertificate& issuer,
                                  int status = V_OCSP_CERTSTATUS_GOOD, long until = kTestDay) {
  OCSP_BASICRESP* basic = OCSP_BASICRESP_new();
  ASN1_TIME* from_time = X509_gmtime_adj(nullptr, -2 * kTestDay);
  ASN1_TIME* until_time = X509_gmtime_adj(nullptr, until);
  ASN1_TIME* revoked = status == V_OCSP_CERTSTATUS_REVOKED ? from_time : nullptr;
  OCSP_CERTID* id =
      OCSP_cert_to_id(EVP_sha256(), about.certificate.get(), issuer.certificate.get());
  OCSP_basic_add1_status(basic, id, status, 0, revoked, from_time, until_time);
  OCSP_basic_sign(basic, issuer.certificate.get(), issuer.key.get(), EVP_sha256(), nullptr, 0);
  OCSP_RESPONSE* response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
  unsigned char* bytes = nullptr;
  const int count = i2d_OCSP_RESPONSE(response, &bytes);
  std::string der(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(count));
  OPENSSL_free(bytes);
  OCSP_RESPONSE_free(response);
  OCSP_CERTID_free(id);
  ASN1_TIME_free(from_time);
  ASN1_TIME_free(until_time);
  OCSP_BASICRESP_free(basic);
  return der;
}

/// A directory for the files of one test.
class TestFiles {
 public:
  [[nodiscard]] std::string path(const std::string& name) const { return directory_.path() / name; }
  /// Writes to another file and renames it, as careful programs do; returns the path.
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name + ".new"), std::ios::binary) << bytes;
    std::filesystem::rename(path(name + ".new"), path(name));
    return path(name);
  }
  /// Writes NAME.pem and NAME.key.
  [[nodiscard]] TlsCertificate write(const std::string& name, const TestCertificate& what,
                                     const TestCertificate* issuer = nullptr) const {
    std::string chain = to_pem(*what.certificate);
    if (issuer != nullptr) {
      chain += to_pem(*issuer->certificate);
    }
    return {.certificate = write(name + ".pem", chain),
            .key = write(name + ".key", to_pem(*what.key)),
            .ocsp = {}};
  }

 private:
  TempDirectory directory_;
};

}  // namespace eider::detail::tls
