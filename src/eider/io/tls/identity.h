// The certificate and key of a server or client, and its OCSP response.
// Layering: must not know connections: contexts send it to clients.
#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/tls/openssl.h"
#include "eider/io/tls/tls.h"

namespace eider::detail::tls {

struct Identity {
  /// The file of the certificate; empty if there is no file.
  std::string file;
  CertificatePtr certificate;
  /// The intermediate certificates, without the first one; never null.
  CertificatesPtr chain;
  KeyPtr key;
  /// "example.org", "*.example.org", in lowercase.
  std::vector<std::string> names;
  /// DER; empty if there is no valid response. `ocsp_until` is the end of its validity.
  std::string ocsp;
  std::time_t ocsp_until = 0;
  /// Problems, one sentence each: it has expired, or its OCSP response does not match.
  std::vector<std::string> warnings;
};

/// errors  as for make_server_tls: the detail has the file and the solution
[[nodiscard]] Result<Identity> load_identity(const TlsCertificate& files, std::time_t now);

/// Loads the certificates of a PEM file, at least one.
///
/// errors  the file is missing or unreadable, or contains none
[[nodiscard]] Result<CertificatesPtr> load_certificates(const std::string& path);

/// Reads a whole file of at most 1 MiB, which is far more than a certificate.
///
/// errors  the reason, with the path
[[nodiscard]] Result<std::string> read_small_file(const std::string& path);

/// Creates a certificate for development, which no client trusts and which is never stored in a
/// file: EC P-256, for localhost, 127.0.0.1 and ::1; valid from an hour before `now`, for 90 days.
[[nodiscard]] Identity make_self_signed(std::time_t now);

}  // namespace eider::detail::tls
