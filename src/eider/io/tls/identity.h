// The certificate and key of a server or client, and its OCSP response.
// Layering: must not know connections: contexts show it to them.
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
  /// The certificate's file; empty when there is none.
  std::string file;
  CertificatePtr certificate;
  /// Those that lead to an authority, without the first; never null.
  CertificatesPtr chain;
  KeyPtr key;
  /// "example.org", "*.example.org", in lower case.
  std::vector<std::string> names;
  /// DER, empty when there is none that still holds; then until when it does.
  std::string ocsp;
  std::time_t ocsp_until = 0;
  /// What is odd about it, one sentence each: it has expired, or its OCSP answer does not fit.
  std::vector<std::string> warnings;
};

/// errors  as make_server_tls: the detail names the file and the mend
[[nodiscard]] Result<Identity> load_identity(const TlsCertificate& files, std::time_t now);

/// The certificates of a PEM file, at least one.
///
/// errors  the file is not there, is unreadable, or holds none
[[nodiscard]] Result<CertificatesPtr> load_certificates(const std::string& path);

/// A whole file of at most a MiB, which no certificate comes near.
///
/// errors  the reason, with the path
[[nodiscard]] Result<std::string> read_small_file(const std::string& path);

/// A certificate for development, which nobody trusts and no file ever holds: EC P-256, for
/// localhost, 127.0.0.1 and ::1; valid from an hour before `now` for 90 days.
[[nodiscard]] Identity make_self_signed(std::time_t now);

}  // namespace eider::detail::tls
