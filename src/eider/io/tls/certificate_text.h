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

/// The DNS names among the subject's alternative ones, as they are: "*.example.org".
[[nodiscard]] std::vector<std::string> dns_names(X509& certificate);

/// SHA-256 of the whole in lower-case hexadecimal digits.
[[nodiscard]] std::string fingerprint(X509& certificate);

/// "2026-05-01 10:00:00 UTC" from a certificate's notBefore or notAfter.
[[nodiscard]] std::string time_text(const ASN1_TIME& time);

}  // namespace eider::detail::tls
