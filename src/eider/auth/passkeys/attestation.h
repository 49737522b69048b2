// The attestation of a new credential: the model of its authenticator and the signature.
// Layering: must not be included by a public header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/passkeys/authenticator_data.h"
#include "eider/auth/passkeys/passkey.h"
#include "eider/core/base/result.h"

namespace eider::detail::passkeys {

/// Views of the parsed bytes.
///
/// statement  one complete CBOR map, which is not parsed yet
struct AttestationObject {
  std::string_view format;
  std::string_view statement;
  std::string_view data;
};

/// Parses the three members in any order, because password managers differ. Other members are
/// ignored.
///
/// errors  malformed: a missing or duplicate member, more than 16 members, bytes after the object
/// source  WebAuthn Level 3, section 6.5.4
[[nodiscard]] Result<AttestationObject, PasskeyError> parse_attestation_object(
    std::string_view bytes);

/// Trusted certificates in PEM. Throws a Failure if there is none, or an invalid one.
class AttestationRoots {
 public:
  AttestationRoots() = default;
  explicit AttestationRoots(const std::string& pem);

  [[nodiscard]] bool is_empty() const noexcept { return certificates_ == nullptr; }
  /// Returns whether there is a chain from the first of `chain` to one of these.
  ///
  /// now  seconds since 1970
  [[nodiscard]] bool vouch_for(STACK_OF(X509) * chain, std::int64_t now) const;

 private:
  tls::CertificatesPtr certificates_;
};

/// An attestation, and the values to compare it with.
///
/// data         parsed from object.data
/// client_hash  SHA-256 of the client's data
struct Attested {
  const AttestationObject& object;
  const AuthenticatorData& data;
  const CoseKey& key;
  std::string_view client_hash;
};

/// Returns "none", "self" or "certified", for Passkey::attestation.
///
/// The format "packed" is always verified. Other formats are not supported and count as "none".
///
/// errors  bad_attestation: a "none" that is not empty, a "packed" whose signature, algorithm or
///         certificate is wrong
/// source  WebAuthn Level 3, sections 8.2, 8.2.1 and 8.7
[[nodiscard]] Result<std::string, PasskeyError> verify_attestation(const Attested& attested,
                                                                   const AttestationRoots& roots,
                                                                   std::int64_t now);

}  // namespace eider::detail::passkeys
