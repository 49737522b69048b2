// One-time codes of authenticator apps: HOTP (RFC 4226) and TOTP (RFC 6238).
// Layering: must not store secrets or count attempts; two_factor.h does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace eider {

inline constexpr unsigned kTotpDigits = 6;
/// Seconds for which one code is shown.
inline constexpr std::int64_t kTotpPeriod = 30;

/// Returns the code of a counter, with HMAC-SHA-1 and leading zeros.
///
/// secret  any bytes; 20 from the kernel for a new one
/// digits  6 to 9
/// source  RFC 4226, section 5.3
[[nodiscard]] std::string hotp_code(std::string_view secret, std::uint64_t counter,
                                    unsigned digits = kTotpDigits);

/// Returns the code of a time, in seconds since 1970.
///
/// source  RFC 6238, section 4.2, with a period of 30 s and T0 = 0
[[nodiscard]] std::string totp_code(std::string_view secret, std::int64_t time,
                                    unsigned digits = kTotpDigits);

/// Returns the URI that authenticator apps read from a QR code:
/// "otpauth://totp/Shop:ann%40example.org?secret=…&issuer=Shop".
///
/// issuer  name of the service; without colons, which are replaced by spaces
[[nodiscard]] std::string otpauth_uri(std::string_view issuer, std::string_view account,
                                      std::string_view secret);

}  // namespace eider
