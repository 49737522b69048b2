// Public keys of authenticators (COSE, RFC 9052), and their signatures.
// Layering: must not be included by a public header.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::passkeys {

/// IANA, COSE Algorithms.
enum class CoseAlgorithm : std::int64_t { es256 = -7, eddsa = -8, rs256 = -257 };

struct CoseKey {
  CoseAlgorithm algorithm;
  tls::KeyPtr key;
};

/// Reads one whole COSE_Key: a point of P-256, of Ed25519, or RSA of 2048 to 8192 bits.
///
/// errors  bad_key: another algorithm, unneeded members, members out of order, a key that
///         tls::fault_of_key rejects, trailing bytes
/// source  WebAuthn Level 3, sections 5.8.5 and 6.5.1.1; RFC 9053, section 7; RFC 8230, section 4
[[nodiscard]] Result<CoseKey, PasskeyError> parse_cose_key(std::string_view bytes);

/// signature  in the format of WebAuthn: DER for ECDSA (section 6.5.5)
[[nodiscard]] bool verify_signature(CoseAlgorithm algorithm, EVP_PKEY* key, std::string_view bytes,
                                    std::string_view signature);

}  // namespace eider::detail::passkeys
