// Builds keys from received numbers, and rejects weak keys.
// Layering: must not be included by a public header, nor know the formats of keys.
#pragma once

#include <openssl/bn.h>
#include <openssl/param_build.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

inline constexpr int kRsaBitsMax = 8192;
inline constexpr std::size_t kEd25519Bytes = 32;

/// Collects the parts of a key for OpenSSL, which creates the key from them.
class KeyParts {
 public:
  KeyParts();

  /// bytes    of a number, big-endian
  /// returns  false if there are none, or more than kRsaBitsMax bits
  [[nodiscard]] bool add_number(const char* parameter, std::string_view bytes);
  void add_text(const char* parameter, const char* text);
  void add_bytes(const char* parameter, std::string bytes);
  /// Adds an uncompressed point of a curve (SEC 1, section 2.3.3).
  ///
  /// group  OpenSSL's name of the curve
  void add_point(const char* group, std::string_view x, std::string_view y);
  /// selection  EVP_PKEY_KEYPAIR or EVP_PKEY_PUBLIC_KEY
  /// returns    null if the parts are not a key; call fault_of_key for a valid one
  [[nodiscard]] KeyPtr make(const char* kind, int selection);

 private:
  std::unique_ptr<OSSL_PARAM_BLD, Freer<&OSSL_PARAM_BLD_free>> builder_;
  // OpenSSL reads both when the parameters are built.
  std::vector<std::unique_ptr<BIGNUM, Freer<&BN_clear_free>>> numbers_;
  std::deque<std::string> bytes_;
};

/// Returns null if the length is not kEd25519Bytes.
[[nodiscard]] KeyPtr ed25519_of(std::string_view bytes);

/// Returns the error of a key, or an empty text. A malicious key may take seconds to verify a
/// signature, or may have one signature that is valid for all texts.
///
/// RSA      2048 to kRsaBitsMax bits, with an odd exponent above 1 of up to 32 bits
/// EC       a point of that curve, which is referred to by name
/// Ed25519  a point of large order, in its canonical encoding (RFC 8032, sections 5.1.3 and 5.1.7)
[[nodiscard]] std::string fault_of_rsa(EVP_PKEY* key);
[[nodiscard]] std::string fault_of_ec(EVP_PKEY* key, std::string_view group);
[[nodiscard]] std::string fault_of_ed25519(EVP_PKEY* key);
/// The same for any of these kinds, and for the curves P-256, P-384 and P-521.
[[nodiscard]] std::string fault_of_key(EVP_PKEY* key);

}  // namespace eider::detail::tls
