// Builds keys from received numbers, and rejects weak keys.
// Layering: must not be included by a public header, nor know who writes keys how.
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

/// Parts on their way to OpenSSL, which makes a key of them when all are there.
class KeyParts {
 public:
  KeyParts();

  /// bytes    big-endian, of a number
  /// returns  false for none, and for more than kRsaBitsMax
  [[nodiscard]] bool add_number(const char* parameter, std::string_view bytes);
  void add_text(const char* parameter, const char* text);
  void add_bytes(const char* parameter, std::string bytes);
  /// A point of a curve, uncompressed (SEC 1, section 2.3.3).
  ///
  /// group  as OpenSSL names it
  void add_point(const char* group, std::string_view x, std::string_view y);
  /// selection  EVP_PKEY_KEYPAIR or EVP_PKEY_PUBLIC_KEY
  /// returns    null for what is no key; ask fault_of_key about one that is
  [[nodiscard]] KeyPtr make(const char* kind, int selection);

 private:
  std::unique_ptr<OSSL_PARAM_BLD, Freer<&OSSL_PARAM_BLD_free>> builder_;
  // Both are read when the parameters are built.
  std::vector<std::unique_ptr<BIGNUM, Freer<&BN_clear_free>>> numbers_;
  std::deque<std::string> bytes_;
};

/// Null for another length than kEd25519Bytes.
[[nodiscard]] KeyPtr ed25519_of(std::string_view bytes);

/// What is wrong with a key; empty: nothing. A key of somebody's making may take seconds to check a
/// signature by, or have one signature that is good for all texts.
///
/// RSA      of 2048 to kRsaBitsMax bits, with an odd exponent above 1 of up to 32
/// EC       a point of that curve, which is named and not described
/// Ed25519  a point of large order, in its one spelling (RFC 8032, sections 5.1.3 and 5.1.7)
[[nodiscard]] std::string fault_of_rsa(EVP_PKEY* key);
[[nodiscard]] std::string fault_of_ec(EVP_PKEY* key, std::string_view group);
[[nodiscard]] std::string fault_of_ed25519(EVP_PKEY* key);
/// Of any of these kinds, and of the curves P-256, P-384 and P-521.
[[nodiscard]] std::string fault_of_key(EVP_PKEY* key);

}  // namespace eider::detail::tls
