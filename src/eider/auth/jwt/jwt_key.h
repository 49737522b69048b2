// A key that signs tokens or checks them, by one algorithm that was said when it was made.
// Must not take an algorithm from a token: a public key is never anybody's secret.
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

/// Cheap to copy; shared by threads. What is secret of it is overwritten behind the last copy.
///
/// errors of what makes one  Error::internal, whose cause says what is wrong, for the log
/// bounds  RSA of 2048 to 8192 bits with an exponent of up to 32; EC on the algorithm's curve
///         alone; Ed25519 of large order; secrets at least as long as the hash, and 1 KiB at most
/// source  RFC 7518, sections 3.2 to 3.5; RFC 8037, section 3.1; RFC 8725, section 3.2
class JwtKey {
 public:
  /// HS256, HS384 and HS512. Bytes that nobody can guess: no password, and no PEM.
  [[nodiscard]] static Result<JwtKey> from_secret(JwtAlgorithm algorithm, std::string_view secret,
                                                  std::string id = {});
  /// All others. "BEGIN PRIVATE KEY" (PKCS #8), which signs too, or "BEGIN PUBLIC KEY"; not
  /// encrypted.
  [[nodiscard]] static Result<JwtKey> from_pem(JwtAlgorithm algorithm, std::string_view pem,
                                               std::string id = {});
  /// A JSON Web Key, public, private or a secret ("oct").
  ///
  /// fallback  its algorithm where it does not say one: needed for RSA and secrets, as curves have
  ///           one each
  /// errors    also a `use` other than "sig", `key_ops` that neither sign nor verify, a `kty` that
  ///           is not the algorithm's
  /// source    RFC 7517, section 4; RFC 7518, section 6; RFC 8037, section 2
  [[nodiscard]] static Result<JwtKey> from_jwk(std::string_view json,
                                               std::optional<JwtAlgorithm> fallback = {});
  [[nodiscard]] static Result<JwtKey> from_jwk_value(const json::Value& jwk,
                                                     std::optional<JwtAlgorithm> fallback = {});
  /// A new one: a secret, 2048 bits of RSA, or a point of the curve. RSA takes some 100 ms.
  [[nodiscard]] static JwtKey generate(JwtAlgorithm algorithm, std::string id = {});

  [[nodiscard]] JwtAlgorithm algorithm() const noexcept;
  /// `kid`; empty: none.
  [[nodiscard]] const std::string& id() const noexcept;
  [[nodiscard]] bool can_sign() const noexcept;
  /// Of a pair of keys, so that there is a part to publish.
  [[nodiscard]] bool is_public_kind() const noexcept;

  /// The public part, with `use`, `alg` and `kid`. Pre: is_public_kind().
  [[nodiscard]] json::Value to_public_jwk() const;

  /// The signature of these bytes as a JWS has it. Pre: can_sign().
  [[nodiscard]] std::string sign(std::string_view bytes) const;
  [[nodiscard]] bool verify(std::string_view bytes, std::string_view signature) const;

 private:
  using Material = std::shared_ptr<const detail::jwt::KeyMaterial>;

  explicit JwtKey(Material material) noexcept : material_(std::move(material)) {}
  [[nodiscard]] static Result<JwtKey> made_of(Result<Material> material);

  Material material_;
};

/// The public parts, as a JWK Set: secrets are left out.
///
///     app.get("/.well-known/jwks.json", [keys] { return to_jwks(keys); });
///
/// source  RFC 7517, section 5
[[nodiscard]] json::Value to_jwks(std::span<const JwtKey> keys);

/// Those of a JWK Set that can be used; others (another `kty`, `use` or `alg`, too weak, broken)
/// are passed over, as RFC 7517, section 5 asks for. Secrets too: a set that is published has none.
///
/// keys_max  what comes behind so many is not looked at
/// errors    no JSON object with an array `keys`, or a member that occurs twice
[[nodiscard]] Result<std::vector<JwtKey>> parse_jwks(std::string_view json,
                                                     JwtAlgorithm rsa_default,
                                                     std::size_t keys_max = 64);

}  // namespace eider
