// A guard that accepts requests with a valid token, and passes its claims to handlers.
// Layering: must not reveal to clients why a token is invalid; the log does.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/operation.h"
#include "eider/auth/jwt/claims.h"
#include "eider/auth/jwt/jwks.h"
#include "eider/auth/jwt/jwt.h"
#include "eider/io/runtime/task.h"
#include "eider/web/middleware/identity.h"

namespace eider {

/// The claims of a token as a custom struct: a parameter of handlers after jwt_auth<T>.
///
///     struct Access { std::string role; std::optional<std::string> team; };
///     app.get("/me", [](const Claims<Access>& claims) { return claims.own.role; });
template <class T>
struct Claims {
  RegisteredClaims registered;
  T own;
};

template <class T>
struct Extract<Claims<T>> : ExtractExtension<Claims<T>> {
  static constexpr bool kOwnsData = true;
};

struct JwtAuth {
  /// Your own keys, or `Jwks({.url = "https://id.example/.well-known/jwks.json"})`.
  std::variant<std::vector<JwtKey>, Jwks> keys = {};
  // As in JwtRules.
  std::string issuer = {};
  /// Required audience, mandatory for keys of an issuer: its tokens for other services are
  /// rejected.
  std::string audience = {};
  std::string type = {};
  Duration leeway = std::chrono::seconds(30);
  bool requires_expiry = true;
  /// false: accepts any token of the issuer without checking an audience.
  bool requires_audience = true;
  /// Realm in the challenge.
  std::string realm = "restricted";
};

namespace detail::jwt {

using FieldOfRequest = Header<"authorization", std::optional<std::string>>;

/// Throws a Failure without keys, for keys of an issuer without an audience, and for a realm that
/// is not a valid quoted string.
class JwtChecker {
 public:
  explicit JwtChecker(JwtAuth options);

  /// authorization  value of the header
  [[nodiscard]] Task<Result<JwtClaims>> check(std::optional<std::string> authorization) const;
  /// Returns the response for a token whose claims are invalid.
  [[nodiscard]] Error refusal(const JwtError& error) const;
  static void describe(Operation& operation);

 private:
  [[nodiscard]] Error challenge(std::string_view code) const;

  JwtAuth options_;
  JwtRules rules_;
};

/// Reads `sub`, and the words of `scope` (RFC 9068, section 2.2.3.1) or the list `scp`.
[[nodiscard]] Result<Identity, JwtError> identity_of(const JwtClaims& claims);

}  // namespace detail::jwt

/// A guard, for Routes::guard and Routes::provide: 401 with WWW-Authenticate: Bearer, or 503 if the
/// issuer's keys are not available.
///
/// T  Identity: handlers use `const Identity&`; any other type: `const Claims<T>&`
///
///     api.guard(jwt_auth({.keys = Jwks({.url = "https://id.example/jwks.json"}),
///                         .issuer = "https://id.example", .audience = "notes"}));
///
/// source  RFC 6750, section 3; RFC 8725
template <class T = Identity>
class JwtGuard {
 public:
  using Known = std::conditional_t<std::is_same_v<T, Identity>, Identity, Claims<T>>;

  explicit JwtGuard(JwtAuth options) : checker_(std::move(options)) {}

  Task<Result<Known>> operator()(detail::jwt::FieldOfRequest authorization) const {
    Result<JwtClaims> claims = co_await checker_.check(std::move(*authorization));
    if (!claims) {
      co_return fail(std::move(claims.error()));
    }
    auto known = known_of(*claims);
    if (!known) {
      co_return fail(checker_.refusal(known.error()));
    }
    co_return std::move(*known);
  }
  void describe(Operation& operation) const { detail::jwt::JwtChecker::describe(operation); }
  [[nodiscard]] std::string name() const { return "jwt_auth"; }

 private:
  [[nodiscard]] static Result<Known, JwtError> known_of(const JwtClaims& claims) {
    if constexpr (std::is_same_v<T, Identity>) {
      return detail::jwt::identity_of(claims);
    } else {
      auto own = claims.template as<T>();
      if (!own) {
        return fail(std::move(own.error()));
      }
      return Known{claims.registered(), std::move(*own)};
    }
  }

  detail::jwt::JwtChecker checker_;
};

template <class T = Identity>
[[nodiscard]] JwtGuard<T> jwt_auth(JwtAuth options) {
  return JwtGuard<T>(std::move(options));
}

}  // namespace eider
