#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/identity.h"

namespace eider::detail::tls {

namespace {

constexpr long kHourSeconds = 60L * 60;
constexpr long kValidSeconds = 90L * 24 * kHourSeconds;

void set_serial(X509& certificate) {
  constexpr int kBits = 127;  // positive, at most 20 octets (RFC 5280, section 4.1.2.2)
  const std::unique_ptr<BIGNUM, Freer<&BN_free>> number(BN_new());
  ensure_memory(number.get());
  BN_rand(number.get(), kBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(&certificate));
}

void set_subject(X509& certificate, const std::string& name) {
  X509_NAME* const subject = X509_get_subject_name(&certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.data()),
                             static_cast<int>(name.size()), -1, 0);
  X509_set_issuer_name(&certificate, subject);
}

void add_extension(X509& certificate, int kind, const char* value) {
  using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<&X509_EXTENSION_free>>;
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  ensure_memory(extension.get());
  X509_add_ext(&certificate, extension.get(), -1);
}

void set_validity(X509& certificate, std::time_t now) {
  X509_time_adj(X509_getm_notBefore(&certificate), -kHourSeconds, &now);
  X509_time_adj(X509_getm_notAfter(&certificate), kValidSeconds, &now);
}

}  // namespace

Identity make_self_signed(std::time_t now) {
  Identity identity;
  identity.key.reset(EVP_EC_gen("P-256"));
  ensure_memory(identity.key.get());
  identity.certificate.reset(X509_new());
  ensure_memory(identity.certificate.get());
  identity.chain.reset(sk_X509_new_null());
  X509& certificate = *identity.certificate;
  constexpr long kVersion3 = 2;
  X509_set_version(&certificate, kVersion3);
  set_serial(certificate);
  set_subject(certificate, "localhost");
  set_validity(certificate, now);
  X509_set_pubkey(&certificate, identity.key.get());
  add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, NID_key_usage, "critical,digitalSignature");
  add_extension(certificate, NID_ext_key_usage, "serverAuth");
  // Sign last, so that the signature covers everything above.
  X509_sign(&certificate, identity.key.get(), EVP_sha256());
  identity.names = dns_names(certificate);
  return identity;
}

}  // namespace eider::detail::tls
