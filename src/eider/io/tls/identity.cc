#include "eider/io/tls/identity.h"

#include <openssl/pem.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "eider/core/base/text.h"
#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/ocsp.h"

namespace eider::detail::tls {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1024} * 1024;

using FilePtr = std::unique_ptr<std::FILE, Freer<&std::fclose>>;

std::unexpected<Error> trouble(const std::string& path, std::string_view what) {
  return fail(Error::unavailable("TLS: " + path + " " + std::string(what)));
}

std::unexpected<Error> unreadable(const std::string& path, int number) {
  const std::string reason = std::generic_category().message(number);
  return trouble(path, "cannot be read: " + reason +
                           (number == EACCES ? "; let this process's user or group read it" : ""));
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
    // The stack owns what was pushed; what was not is freed here.
    if (sk_X509_push(found.get(), next.get()) > 0) {
      static_cast<void>(next.release());
    }
  }
  // The end of the file leaves an error in the queue, which would be taken for a later call's.
  ERR_clear_error();
  return found;
}

/// Passphrases are not asked for: a service starts by itself.
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
    return trouble(path, "has a passphrase: remove it with \"openssl pkey -in KEY -out NEW\"");
  }
  return trouble(path, "holds no private key in PEM (\"-----BEGIN PRIVATE KEY-----\")");
}

std::string to_lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), to_lower);
  return text;
}

/// The key has to be the first certificate's. A chain in the wrong order is told apart.
Result<void> check_key(const TlsCertificate& files, const Identity& identity) {
  const std::string& key_file = files.key.empty() ? files.certificate : files.key;
  const bool fits = X509_check_private_key(identity.certificate.get(), identity.key.get()) == 1;
  // The comparison leaves errors behind, whatever its outcome is.
  ERR_clear_error();
  if (fits) {
    return {};
  }
  for (int index = 0; index < sk_X509_num(identity.chain.get()); ++index) {
    X509* const other = sk_X509_value(identity.chain.get(), index);
    const bool is_others = X509_check_private_key(other, identity.key.get()) == 1;
    ERR_clear_error();
    if (is_others) {
      return trouble(files.certificate, "must begin with the server's own certificate");
    }
  }
  return trouble(key_file, "is not the key of the certificate in " + files.certificate);
}

void note_validity(Identity& identity, const std::string& path, std::time_t now) {
  const ASN1_TIME* const from = X509_get0_notBefore(identity.certificate.get());
  const ASN1_TIME* const until = X509_get0_notAfter(identity.certificate.get());
  if (X509_cmp_time(until, &now) < 0) {
    identity.warnings.push_back("TLS: the certificate in " + path + " has expired on " +
                                time_text(*until) + "; clients will refuse it");
  } else if (X509_cmp_time(from, &now) > 0) {
    identity.warnings.push_back("TLS: the certificate in " + path + " is valid only from " +
                                time_text(*from) + " on; clients will refuse it");
  }
}

void note_names(Identity& identity, const std::string& path) {
  for (std::string& name : dns_names(*identity.certificate)) {
    identity.names.push_back(to_lower_case(std::move(name)));
  }
  if (X509_get_ext_by_NID(identity.certificate.get(), NID_subject_alt_name, -1) < 0) {
    identity.warnings.push_back("TLS: the certificate in " + path +
                                " has no subject alternative name; clients will refuse it");
  }
}

void note_ocsp(Identity& identity, const std::string& path, std::time_t now) {
  if (path.empty()) {
    return;
  }
  const Result<std::string> der = read_small_file(path);
  Result<OcspAnswer> answer = der ? check_ocsp(*der, identity, now) : fail(der.error());
  if (answer) {
    identity.ocsp = *der;
    identity.ocsp_until = answer->until;
  } else {
    identity.warnings.push_back(der ? "TLS: " + path + " is not stapled: " + answer.error().detail()
                                    : der.error().detail());
  }
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  const FilePtr file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    return unreadable(path, errno);
  }
  // By pieces: room for the largest at once would stay with a process that reads small ones.
  std::string bytes;
  std::array<char, 8192> piece;
  for (std::size_t read = 1; read != 0 && bytes.size() <= kFileBytesMax;) {
    read = std::fread(piece.data(), 1, piece.size(), file.get());
    bytes.append(piece.data(), read);
  }
  if (std::ferror(file.get()) != 0) {
    return unreadable(path, errno);
  }
  if (bytes.size() > kFileBytesMax) {
    return trouble(path, "is larger than a MiB: it cannot be what is looked for");
  }
  return bytes;
}

Result<CertificatesPtr> load_certificates(const std::string& path) {
  const Result<std::string> pem = read_small_file(path);
  if (!pem) {
    return fail(pem.error());
  }
  CertificatesPtr found = parse_certificates(*pem);
  if (sk_X509_num(found.get()) == 0) {
    return trouble(path, "holds no certificate in PEM (\"-----BEGIN CERTIFICATE-----\")");
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
  // The first certificate is the server's own; what is left leads to an authority.
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
