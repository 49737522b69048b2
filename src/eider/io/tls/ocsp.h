// An authority's word on one certificate (OCSP, RFC 6960), as it is stapled to handshakes.
// Must not fetch it: the program that renews certificates writes the file.
#pragma once

#include <ctime>
#include <string>

#include "eider/core/base/result.h"

namespace eider::detail::tls {

struct Identity;

struct OcspAnswer {
  /// It must not be shown after.
  std::time_t until = 0;
};

/// errors  it is no OCSP response, not a successful one, about another certificate, does not say
///         that the certificate is good, or is too old; the detail says which
[[nodiscard]] Result<OcspAnswer> check_ocsp(const std::string& der, const Identity& identity,
                                            std::time_t now);

}  // namespace eider::detail::tls
