// What a token says: the claims that RFC 7519 registers, and the application's own.
// Must not check a signature: what is read here is believed because somebody else did.
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

/// Those of RFC 7519, section 4.1. Times are whole seconds since 1970; of a fraction in a token the
/// part behind the point is dropped. What is empty is not there.
struct RegisteredClaims {
  std::string issuer = {};
  std::string subject = {};
  /// One or several: both spellings are read; one is written as a text.
  std::vector<std::string> audience = {};
  std::optional<std::int64_t> expires_at = {};
  std::optional<std::int64_t> not_before = {};
  std::optional<std::int64_t> issued_at = {};
  std::string id = {};
};

/// What a token has to say besides being signed.
struct JwtRules {
  /// `iss`, exactly; empty: any.
  std::string issuer = {};
  /// One of `aud`, exactly; empty: any. Say one: a token for another service of the same issuer is
  /// none for this.
  std::string audience = {};
  /// `typ`, such as "at+jwt" (RFC 9068); empty: any. Two kinds of tokens of one issuer are told
  /// apart by it (RFC 8725, section 3.11).
  std::string type = {};
  /// Clocks differ. Of `exp`, `nbf` and `iat`.
  Duration leeway = std::chrono::seconds(30);
  /// A token without `exp` is refused.
  bool needs_expiry = true;
  /// Of a whole token.
  std::size_t bytes_max = std::size_t{8} * 1024;
};

namespace detail::jwt {

/// errors  bad_claim: one is of another type, or a time is out of what clocks have
[[nodiscard]] Result<RegisteredClaims, JwtError> read_registered(const json::Value& claims);
void add_registered(json::Value& claims, const RegisteredClaims& registered);

/// Issuer, audience and times.
[[nodiscard]] Result<void, JwtError> check_claims(const RegisteredClaims& claims,
                                                  const JwtRules& rules, std::int64_t now);
[[nodiscard]] JwtError bad_own_claims(const Error& error);

}  // namespace detail::jwt

/// The claims of a token that was checked. all(): every one, as it came.
class JwtClaims {
 public:
  JwtClaims(RegisteredClaims registered, json::Value all, std::string text)
      : registered_(std::move(registered)), all_(std::move(all)), text_(std::move(text)) {}

  [[nodiscard]] const RegisteredClaims& registered() const noexcept { return registered_; }
  [[nodiscard]] const json::Value& all() const noexcept { return all_; }

  /// As a struct of one's own, whose members are claims by their names; other claims are left out.
  ///
  /// errors  bad_claim: what does not fit the struct
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
