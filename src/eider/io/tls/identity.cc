#include "eider/io/tls/identity.h"

#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "eider/core/base/read_file.h"
#include "eider/core/base/result.h"
#include "eider/core/base/text.h"
#include "eider/io/tls/certificate_text.h"

namespace eider::detail::tls {

/// An authority's statement about one certificate (OCSP, RFC 6960), as it is stapled to handshakes.
struct OcspResponse {
  /// It must not be sent afterwards.
  std::time_t until = 0;
};

namespace {

using ResponsePtr = std::unique_ptr<OCSP_RESPONSE, Freer<&OCSP_RESPONSE_free>>;
using BasicPtr = std::unique_ptr<OCSP_BASICRESP, Freer<&OCSP_BASICRESP_free>>;
using IdPtr = std::unique_ptr<OCSP_CERTID, Freer<&OCSP_CERTID_free>>;

/// If a response has no end, clients accept it for about this time.
constexpr std::time_t kUnlimitedSeconds = std::time_t{24} * 60 * 60;

std::unexpected<Error> trouble(std::string what) {
  ERR_clear_error();
  return fail(Error::unavailable(std::move(what)));
}

std::time_t to_seconds(const ASN1_GENERALIZEDTIME& time) noexcept {
  std::tm parts{};
  return ASN1_TIME_to_tm(&time, &parts) == 1 ? timegm(&parts) : 0;
}

/// Finds the part of the response about `certificate`, for any digest that the authority uses.
OCSP_SINGLERESP* find_single(OCSP_BASICRESP& basic, X509& certificate, X509& issuer) {
  for (int index = 0; index < OCSP_resp_count(&basic); ++index) {
    OCSP_SINGLERESP* const single = OCSP_resp_get0(&basic, index);
    const OCSP_CERTID* const theirs = OCSP_SINGLERESP_get0_id(single);
    ASN1_OBJECT* digest = nullptr;
    OCSP_id_get0_info(nullptr, &digest, nullptr, nullptr, const_cast<OCSP_CERTID*>(theirs));
    const EVP_MD* const method = EVP_get_digestbyobj(digest);
    const IdPtr ours(method == nullptr ? nullptr : OCSP_cert_to_id(method, &certificate, &issuer));
    if (ours != nullptr && OCSP_id_cmp(ours.get(), theirs) == 0) {
      return single;
    }
  }
  return nullptr;
}

Result<OcspResponse> read_single(OCSP_SINGLERESP& single, std::time_t now) {
  ASN1_GENERALIZEDTIME* from = nullptr;
  ASN1_GENERALIZEDTIME* until = nullptr;
  if (OCSP_single_get0_status(&single, nullptr, nullptr, &from, &until) != V_OCSP_CERTSTATUS_GOOD) {
    return trouble("the OCSP response does not confirm the certificate");
  }
  // A response without an end is sent for only a day, as clients would accept it.
  const std::time_t end = until == nullptr ? now + kUnlimitedSeconds : to_seconds(*until);
  if (end <= now) {
    return trouble("the OCSP response is too old; fetch a new one");
  }
  return OcspResponse{.until = end};
}

}  // namespace

/// errors  not an OCSP response, not a successful one, about another certificate, does not confirm
///         the certificate, or too old; the detail has the reason
Result<OcspResponse> check_ocsp(const std::string& der, const Identity& identity, std::time_t now) {
  if (sk_X509_num(identity.chain.get()) == 0) {
    return trouble("the certificate file does not contain the issuer's certificate");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const ResponsePtr response(d2i_OCSP_RESPONSE(nullptr, &bytes, static_cast<long>(der.size())));
  if (response == nullptr) {
    return trouble("the file is not an OCSP response in DER format");
  }
  const BasicPtr basic(OCSP_response_get1_basic(response.get()));
  // Check the status of the response in addition to its content: an error has no content.
  if (basic == nullptr || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
    return trouble("the OCSP response is not successful");
  }
  X509& issuer = *sk_X509_value(identity.chain.get(), 0);
  OCSP_SINGLERESP* const single = find_single(*basic, *identity.certificate, issuer);
  if (single == nullptr) {
    return trouble("the OCSP response is for another certificate");
  }
  return read_single(*single, now);
}

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1024} * 1024;

std::unexpected<Error> trouble(const std::string& path, std::string_view what) {
  return fail(Error::unavailable("TLS: " + path + " " + std::string(what)));
}

std::unexpected<Error> unreadable(const std::string& path, int number) {
  const std::string reason = std::generic_category().message(number);
  return trouble(path,
                 "cannot be read: " + reason +
                     (number == EACCES ? "; let this process's user or group read the file" : ""));
}

BioPtr over(const std::string& bytes) {
  BioPtr bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  ensure_memory(bio.get());
  return bio;
}

CertificatesPtr parse_certificates(const std::string& pem) {
  CertificatesPtr found(sk_X509_new_null());
  ensure_memory(found.get());
  const BioPtr bio = over(pem);
  while (CertificatePtr next{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    // The stack owns pushed certificates; one that was not pushed is freed here.
    if (sk_X509_push(found.get(), next.get()) > 0) {
      static_cast<void>(next.release());
    }
  }
  // The end of the file leaves an error in the queue, which would be attributed to a later call.
  ERR_clear_error();
  return found;
}

/// Does not prompt for a passphrase, because a service starts without a user.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

Result<KeyPtr> load_key(const std::string& path) {
  const Result<std::string> pem = read_small_file(path);
  if (!pem) {
    return fail(pem.error());
  }
  const BioPtr bio = over(*pem);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr));
  if (key != nullptr) {
    return key;
  }
  ERR_clear_error();
  if (pem->find("ENCRYPTED") != std::string::npos) {
    return trouble(
        path, "has a passphrase: remove the passphrase with \"openssl pkey -in KEY -out NEW\"");
  }
  return trouble(path,
                 "does not contain a private key in PEM format (\"-----BEGIN PRIVATE KEY-----\")");
}

/// Checks that the key belongs to the first certificate, and distinguishes a chain in the wrong
/// order.
Result<void> check_key(const TlsCertificate& files, const Identity& identity) {
  const std::string& key_file = files.key.empty() ? files.certificate : files.key;
  const bool fits = X509_check_private_key(identity.certificate.get(), identity.key.get()) == 1;
  // The comparison leaves errors in the queue, even if it succeeds.
  ERR_clear_error();
  if (fits) {
    return {};
  }
  for (int index = 0; index < sk_X509_num(identity.chain.get()); ++index) {
    X509* const other = sk_X509_value(identity.chain.get(), index);
    const bool is_others = X509_check_private_key(other, identity.key.get()) == 1;
    ERR_clear_error();
    if (is_others) {
      return trouble(files.certificate, "must start with the server's own certificate");
    }
  }
  return trouble(key_file, "does not match the certificate in " + files.certificate);
}

void note_validity(Identity& identity, const std::string& path, std::time_t now) {
  const ASN1_TIME* const from = X509_get0_notBefore(identity.certificate.get());
  const ASN1_TIME* const until = X509_get0_notAfter(identity.certificate.get());
  if (X509_cmp_time(until, &now) < 0) {
    identity.warnings.push_back("TLS: the certificate in " + path + " expired on " +
                                time_text(*until) + "; clients will reject the certificate");
  } else if (X509_cmp_time(from, &now) > 0) {
    identity.warnings.push_back("TLS: the certificate in " + path + " is valid only from " +
                                time_text(*from) + "; clients will reject the certificate");
  }
}

void note_names(Identity& identity, const std::string& path) {
  for (const std::string& name : dns_names(*identity.certificate)) {
    identity.names.push_back(in_lower_case(name));
  }
  if (X509_get_ext_by_NID(identity.certificate.get(), NID_subject_alt_name, -1) < 0) {
    identity.warnings.push_back(
        "TLS: the certificate in " + path +
        " has no subject alternative name; clients will reject the certificate");
  }
}

void note_ocsp(Identity& identity, const std::string& path, std::time_t now) {
  if (path.empty()) {
    return;
  }
  const Result<std::string> der = read_small_file(path);
  Result<OcspResponse> response = der ? check_ocsp(*der, identity, now) : fail(der.error());
  if (response) {
    identity.ocsp = *der;
    identity.ocsp_until = response->until;
  } else {
    identity.warnings.push_back(der ? "TLS: " + path +
                                          " is not stapled: " + response.error().detail()
                                    : der.error().detail());
  }
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  auto bytes = base::read_file(path, kFileBytesMax + 1);
  if (!bytes) {
    return unreadable(path, bytes.error());
  }
  if (bytes->size() > kFileBytesMax) {
    return trouble(path, "is larger than 1 MiB, the maximum size of this file");
  }
  return *std::move(bytes);
}

Result<CertificatesPtr> load_certificates(const std::string& path) {
  const Result<std::string> pem = read_small_file(path);
  if (!pem) {
    return fail(pem.error());
  }
  CertificatesPtr found = parse_certificates(*pem);
  if (sk_X509_num(found.get()) == 0) {
    return trouble(
        path, "does not contain a certificate in PEM format (\"-----BEGIN CERTIFICATE-----\")");
  }
  return found;
}

Result<Identity> load_identity(const TlsCertificate& files, std::time_t now) {
  Result<CertificatesPtr> chain = load_certificates(files.certificate);
  if (!chain) {
    return fail(chain.error());
  }
  Result<KeyPtr> key = load_key(files.key.empty() ? files.certificate : files.key);
  if (!key) {
    return fail(key.error());
  }
  Identity identity;
  identity.file = files.certificate;
  // The first certificate is the server's own; the rest are the intermediate certificates.
  identity.certificate.reset(sk_X509_shift(chain->get()));
  identity.chain = *std::move(chain);
  identity.key = *std::move(key);
  if (Result<void> fits = check_key(files, identity); !fits) {
    return fail(fits.error());
  }
  note_validity(identity, files.certificate, now);
  note_names(identity, files.certificate);
  note_ocsp(identity, files.ocsp, now);
  return identity;
}

}  // namespace eider::detail::tls
