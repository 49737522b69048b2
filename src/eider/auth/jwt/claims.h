// The claims of a token: those of RFC 7519 and custom ones.
// Layering: must not verify a signature; the caller has done so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/jwt/algorithm.h"
#include "eider/core/base/result.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// The claims of RFC 7519, section 4.1. Times are whole seconds since 1970; fractions are cut off.
/// Empty values are absent.
struct RegisteredClaims {
  std::string issuer = {};
  std::string subject = {};
  /// One or several; reading accepts a string and an array, and a single value is written as a
  /// string.
  std::vector<std::string> audience = {};
  std::optional<std::int64_t> expires_at = {};
  std::optional<std::int64_t> not_before = {};
  std::optional<std::int64_t> issued_at = {};
  std::string id = {};
};

/// Requirements for the claims of a token.
struct JwtRules {
  /// `iss`, exactly; empty: any.
  std::string issuer = {};
  /// Required value in `aud`; empty: any. Set one: tokens for other services of the same issuer
  /// must be rejected.
  std::string audience = {};
  /// Required `typ`, such as "at+jwt" (RFC 9068); empty: any. It distinguishes two types of tokens
  /// of one issuer (RFC 8725, section 3.11).
  std::string type = {};
  /// Allowed difference between clocks, for `exp`, `nbf` and `iat`.
  Duration leeway = std::chrono::seconds(30);
  /// Rejects tokens without `exp`.
  bool requires_expiry = true;
  /// Maximum size of a token.
  std::size_t bytes_max = std::size_t{8} * 1024;
};

namespace detail::jwt {

/// errors  bad_claim: a claim has another type, or a time is out of range
[[nodiscard]] Result<RegisteredClaims, JwtError> read_registered(const json::Value& claims);
void add_registered(json::Value& claims, const RegisteredClaims& registered);

/// Checks issuer, audience and times.
[[nodiscard]] Result<void, JwtError> check_claims(const RegisteredClaims& claims,
                                                  const JwtRules& rules, std::int64_t now);
[[nodiscard]] JwtError bad_own_claims(const Error& error);

}  // namespace detail::jwt

/// The claims of a verified token. all() returns every claim, unchanged.
class JwtClaims {
 public:
  JwtClaims(RegisteredClaims registered, json::Value all, std::string text)
      : registered_(std::move(registered)), all_(std::move(all)), text_(std::move(text)) {}

  [[nodiscard]] const RegisteredClaims& registered() const noexcept { return registered_; }
  [[nodiscard]] const json::Value& all() const noexcept { return all_; }

  /// Reads the claims into a custom struct whose members have the names of claims; other claims are
  /// ignored.
  ///
  /// errors  bad_claim: a claim does not fit the struct
  template <class T>
  [[nodiscard]] Result<T, JwtError> as() const {
    auto own = json::read<T>(text_, {.unknown_members = json::UnknownMembers::kIgnore});
    if (!own) {
      return fail(detail::jwt::bad_own_claims(own.error()));
    }
    return std::move(*own);
  }

 private:
  RegisteredClaims registered_;
  json::Value all_;
  std::string text_;
};

}  // namespace eider
