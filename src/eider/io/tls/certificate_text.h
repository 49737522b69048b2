// A certificate as text: subject, issuer, names and fingerprint.
// Layering: must not judge the certificate.
#pragma once

#include <openssl/x509.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/tls_info.h"

namespace eider::detail::tls {

[[nodiscard]] ClientCertificate describe(X509& certificate);

/// Returns the DNS names of the subject alternative names, unchanged: "*.example.org".
[[nodiscard]] std::vector<std::string> dns_names(X509& certificate);

/// Returns the SHA-256 digest of the whole certificate in lowercase hexadecimal digits.
[[nodiscard]] std::string fingerprint(X509& certificate);

/// Returns a certificate's notBefore or notAfter as "2026-05-01 10:00:00 UTC".
[[nodiscard]] std::string time_text(const ASN1_TIME& time);

}  // namespace eider::detail::tls
