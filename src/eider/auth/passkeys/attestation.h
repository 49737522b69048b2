// The attestation of a new credential: the model of its authenticator and the signature.
// Layering: must not be included by a public header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/passkeys/authenticator_data.h"
#include "eider/auth/passkeys/cose_key.h"
#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"

namespace eider::detail::passkeys {

/// Views of what was parsed.
///
/// statement  one whole map of CBOR, which was passed over
struct AttestationObject {
  std::string_view format;
  std::string_view statement;
  std::string_view data;
};

/// Its three members in any order, as encoders of password managers write them.
///
/// errors  malformed: other members, one that is missing or twice, bytes behind it
/// source  WebAuthn Level 3, section 6.5.4
[[nodiscard]] Result<AttestationObject, PasskeyError> parse_attestation_object(
    std::string_view bytes);

/// Certificates that somebody trusts, of PEM. Throws a Failure for what has none, and for what is
/// no certificate.
class AttestationRoots {
 public:
  AttestationRoots() = default;
  explicit AttestationRoots(const std::string& pem);

  [[nodiscard]] bool is_empty() const noexcept { return certificates_ == nullptr; }
  /// Whether there is a chain from the first of `chain` to one of these.
  ///
  /// now  seconds since 1970
  [[nodiscard]] bool vouch_for(STACK_OF(X509) * chain, std::int64_t now) const;

 private:
  tls::CertificatesPtr certificates_;
};

/// What is attested, and what it is held against.
///
/// data_bytes   as `data` was parsed from
/// client_hash  SHA-256 of the client's data
struct Attested {
  const AttestationObject& object;
  const AuthenticatorData& data;
  const CoseKey& key;
  std::string_view client_hash;
};

/// "none", "self" or "certified", as Passkey::attestation has it.
///
/// "packed" is checked whenever it comes. What is of another format says nothing here: it is what a
/// "none" is.
///
/// errors  bad_attestation: a "none" that says something, a "packed" whose signature, algorithm or
///         certificate is wrong
/// source  WebAuthn Level 3, sections 8.2, 8.2.1 and 8.7
[[nodiscard]] Result<std::string, PasskeyError> verify_attestation(const Attested& attested,
                                                                   const AttestationRoots& roots,
                                                                   std::int64_t now);

}  // namespace eider::detail::passkeys
