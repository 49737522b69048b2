// The data that an authenticator signs, with the public key of a credential (COSE, RFC 9052).
// Layering: must not be included by a public header, nor trust the data before its signature.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::passkeys {

inline constexpr std::size_t kCredentialIdBytesMax = 1023;

/// All texts are views of the parsed bytes.
///
/// aaguid      16 bytes
/// public_key  one whole COSE_Key, not checked
struct AttestedCredential {
  std::string_view aaguid;
  std::string_view id;
  std::string_view public_key;
};

struct AuthenticatorData {
  std::string_view relying_party_hash;
  std::uint8_t flags = 0;
  std::uint32_t counter = 0;
  std::optional<AttestedCredential> credential = {};

  [[nodiscard]] bool is_present() const noexcept { return (flags & 0x01U) != 0; }
  [[nodiscard]] bool is_verified() const noexcept { return (flags & 0x04U) != 0; }
  [[nodiscard]] bool is_backup_eligible() const noexcept { return (flags & 0x08U) != 0; }
  [[nodiscard]] bool is_backed_up() const noexcept { return (flags & 0x10U) != 0; }
};

/// errors  malformed: truncated, a credential id that is empty or longer than 1023 bytes,
///         extensions that are not a map, trailing bytes
/// source  WebAuthn Level 3, sections 6.1 and 6.5.1
[[nodiscard]] Result<AuthenticatorData, PasskeyError> parse_authenticator_data(
    std::string_view bytes);

/// Formats 16 bytes as a UUID: "8446ccb9-ab1d-b374-750b-2367ff6f3a1f".
[[nodiscard]] std::string aaguid_text(std::string_view bytes);

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
