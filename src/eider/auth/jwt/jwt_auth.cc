#include "eider/auth/jwt/jwt_auth.h"

#include <utility>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/middleware/auth.h"

namespace eider::detail::jwt {

namespace {

constexpr std::size_t kScopesMax = 256;

JwtAuth checked(JwtAuth options) {
  const auto* own = std::get_if<std::vector<JwtKey>>(&options.keys);
  if (own != nullptr && own->empty()) {
    throw Failure(Error::internal("jwt_auth: No keys are set"));
  }
  if (own == nullptr && options.audience.empty() && options.requires_audience) {
    throw Failure(Error::internal(
        "jwt_auth: Set the audience; otherwise tokens for other services are accepted"));
  }
  for (const char byte : options.realm) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\' || byte == 0x7F) {
      throw Failure(Error::internal(
          "jwt_auth: A realm must not contain quotes, backslashes or control characters"));
    }
  }
  return options;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size() && words.size() < kScopesMax;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      words.push_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return words;
}

std::vector<std::string> scopes_of(const json::Value& claims) {
  for (const char* name : {"scope", "scp"}) {
    const json::Value* claim = claims.find(name);
    if (claim != nullptr && claim->is_string()) {
      return words_of(claim->text());
    }
    if (claim != nullptr && claim->is_array()) {
      std::vector<std::string> scopes;
      for (const json::Value& scope : claim->elements()) {
        if (scope.is_string()) {
          scopes.push_back(scope.text());
        }
      }
      return scopes;
    }
  }
  return {};
}

}  // namespace

JwtChecker::JwtChecker(JwtAuth options)
    : options_(checked(std::move(options))),
      rules_{.issuer = options_.issuer,
             .audience = options_.audience,
             .type = options_.type,
             .leeway = options_.leeway,
             .requires_expiry = options_.requires_expiry} {}

Error JwtChecker::challenge(std::string_view code) const {
  return Error::unauthorized("Missing or invalid bearer token.")
      .with_header("WWW-Authenticate",
                   "Bearer realm=\"" + options_.realm + "\"" + std::string(code));
}

Error JwtChecker::refusal(const JwtError& error) const {
  if (error.fault == JwtFault::keys_unavailable) {
    return Error::unavailable("Tokens cannot be verified at the moment. Try again later.")
        .because(error.text)
        .with_header("Retry-After", "5");
  }
  return challenge(", error=\"invalid_token\"").because(error.text);
}

Task<Result<JwtClaims>> JwtChecker::check(std::optional<std::string> authorization) const {
  const auto token = parse_bearer(authorization ? *authorization : std::string_view());
  if (!token) {
    // RFC 6750, section 3.1: without credentials, the response contains no error code.
    co_return fail(challenge(""));
  }
  const auto check = [this, token = std::string(*token)](std::span<const JwtKey> keys) {
    return check_jwt(token, keys, rules_, Loop::current().wall_seconds());
  };
  if (const auto* own = std::get_if<std::vector<JwtKey>>(&options_.keys)) {
    auto claims = check(*own);
    co_return claims ? Result<JwtClaims>(std::move(*claims)) : fail(refusal(claims.error()));
  }
  auto claims = co_await std::get<Jwks>(options_.keys).here().check(std::string(*token), check);
  co_return claims ? Result<JwtClaims>(std::move(*claims)) : fail(refusal(claims.error()));
}

void JwtChecker::describe(Operation& operation) {
  operation.secure(
      {.name = "jwt", .kind = Operation::Security::Kind::http, .field = "bearer", .format = "JWT"});
  operation.add_problem(401, "Authentication is required.");
}

Result<Identity, JwtError> identity_of(const JwtClaims& claims) {
  if (claims.registered().subject.empty()) {
    return fail(JwtError{JwtFault::missing_claim, "the token has no 'sub'"});
  }
  return Identity{.name = claims.registered().subject, .scopes = scopes_of(claims.all())};
}

}  // namespace eider::detail::jwt
