// A key that signs or verifies tokens with one fixed algorithm.
// Layering: must not take the algorithm from a token.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/jwt/algorithm.h"
#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider {

namespace detail::jwt {
struct KeyMaterial;
}  // namespace detail::jwt

/// A key for tokens. Cheap to copy; shared by threads. Secret parts are overwritten after the last
/// copy is destroyed.
///
/// errors of functions that create one  Error::internal, whose cause describes the error, for the
/// log
/// bounds  RSA of 2048 to 8192 bits with an exponent of up to 32; EC only on the algorithm's curve;
///         Ed25519 of large order; secrets at least as long as the hash, and at most 1 KiB
/// source  RFC 7518, sections 3.2 to 3.5; RFC 8037, section 3.1; RFC 8725, section 3.2
class JwtKey {
 public:
  /// Reads a key for HS256, HS384 or HS512: random bytes, not a password, and not PEM.
  [[nodiscard]] static Result<JwtKey> from_secret(JwtAlgorithm algorithm, std::string_view secret,
                                                  std::string id = {});
  /// Reads a key for another algorithm: "BEGIN PRIVATE KEY" (PKCS #8), which can also sign, or
  /// "BEGIN PUBLIC KEY"; not encrypted.
  [[nodiscard]] static Result<JwtKey> from_pem(JwtAlgorithm algorithm, std::string_view pem,
                                               std::string id = {});
  /// Reads a JSON Web Key: public, private or a secret ("oct").
  ///
  /// fallback  its algorithm if it does not name one: needed for RSA and secrets; each curve has
  ///           one
  /// errors    also a `use` other than "sig", `key_ops` without sign or verify, and a `kty` of
  ///           another algorithm
  /// source    RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2
  [[nodiscard]] static Result<JwtKey> from_jwk(std::string_view json,
                                               std::optional<JwtAlgorithm> fallback = {});
  [[nodiscard]] static Result<JwtKey> from_jwk_value(const json::Value& jwk,
                                                     std::optional<JwtAlgorithm> fallback = {});
  /// Generates a key: a secret, RSA with 2048 bits, or a key of the curve. RSA takes some 100 ms.
  [[nodiscard]] static JwtKey generate(JwtAlgorithm algorithm, std::string id = {});

  [[nodiscard]] JwtAlgorithm algorithm() const noexcept;
  /// Returns `kid`; empty if the key has no id.
  [[nodiscard]] const std::string& id() const noexcept;
  [[nodiscard]] bool can_sign() const noexcept;
  /// Returns whether the key belongs to a pair of keys, whose public part can be published.
  [[nodiscard]] bool is_public_kind() const noexcept;

  /// Returns the public part, with `use`, `alg` and `kid`. Pre: is_public_kind().
  [[nodiscard]] json::Value to_public_jwk() const;

  /// Returns the signature of these bytes in the format of JWS. Pre: can_sign().
  [[nodiscard]] std::string sign(std::string_view bytes) const;
  [[nodiscard]] bool verify(std::string_view bytes, std::string_view signature) const;

 private:
  using Material = std::shared_ptr<const detail::jwt::KeyMaterial>;

  explicit JwtKey(Material material) noexcept : material_(std::move(material)) {}
  [[nodiscard]] static Result<JwtKey> made_of(Result<Material> material);

  Material material_;
};

/// Returns the public parts as a JWK Set, without secrets.
///
///     app.get("/.well-known/jwks.json", [keys] { return to_jwks(keys); });
///
/// source  RFC 7517, section 5
[[nodiscard]] json::Value to_jwks(std::span<const JwtKey> keys);

/// Returns the usable keys of a JWK Set; others (another `kty`, `use` or `alg`, too weak, broken)
/// are ignored, as RFC 7517, section 5 requires. Secrets are ignored, too, because a published set
/// contains none.
///
/// keys_max  further keys are ignored
/// errors    not a JSON object with an array `keys`, or a duplicate member
[[nodiscard]] Result<std::vector<JwtKey>> parse_jwks(std::string_view json,
                                                     JwtAlgorithm rsa_default,
                                                     std::size_t keys_max = 64);

}  // namespace eider
