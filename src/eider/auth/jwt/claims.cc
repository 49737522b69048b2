#include "eider/auth/jwt/claims.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace eider::detail::jwt {

namespace {

/// End of the year 9999: adding a leeway does not overflow.
constexpr std::int64_t kSecondsMax = 253'402'300'799;
constexpr std::size_t kAudiencesMax = 64;

std::unexpected<JwtError> refuse(JwtFault fault, std::string text) {
  return fail(JwtError{fault, std::move(text)});
}

/// Reads claims one by one, and remembers the first error.
class ClaimReader {
 public:
  explicit ClaimReader(const json::Value& claims) noexcept : claims_(claims) {}

  [[nodiscard]] std::string text(std::string_view name) {
    const json::Value* claim = claims_.find(name);
    if (claim == nullptr || expect(claim->is_string(), name)) {
      return claim == nullptr ? "" : claim->text();
    }
    return "";
  }
  /// Returns a NumericDate (RFC 7519, section 2).
  [[nodiscard]] std::optional<std::int64_t> time(std::string_view name) {
    const json::Value* claim = claims_.find(name);
    if (claim == nullptr || !expect(claim->is_number(), name)) {
      return std::nullopt;
    }
    const double seconds = std::floor(claim->number());
    if (!expect(seconds >= 0 && seconds <= static_cast<double>(kSecondsMax), name)) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(seconds);
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) {
    const json::Value* claim = claims_.find(name);
    if (claim == nullptr || !claim->is_array()) {
      std::string one = text(name);
      return claim == nullptr ? std::vector<std::string>() : std::vector{std::move(one)};
    }
    std::vector<std::string> all;
    const bool is_short = expect(claim->size() <= kAudiencesMax, name);
    for (std::size_t index = 0; is_short && index < claim->size(); ++index) {
      const json::Value& each = (*claim)[index];
      all.push_back(expect(each.is_string(), name) ? each.text() : std::string());
    }
    return all;
  }
  /// Returns the name of the first invalid claim; empty without an error.
  [[nodiscard]] const std::string& bad() const noexcept { return bad_; }

 private:
  bool expect(bool is_good, std::string_view name) {
    if (!is_good && bad_.empty()) {
      bad_ = name;
    }
    return is_good;
  }

  const json::Value& claims_;
  std::string bad_;
};

void add_text(json::Value& claims, std::string_view name, const std::string& text) {
  if (!text.empty()) {
    claims[name] = text;
  }
}

void add_time(json::Value& claims, std::string_view name, const std::optional<std::int64_t>& time) {
  if (time) {
    claims[name] = *time;
  }
}

Result<void, JwtError> check_times(const RegisteredClaims& claims, std::int64_t leeway,
                                   std::int64_t now) {
  // RFC 7519, section 4.1.4: on or after that time a token is not accepted.
  if (claims.expires_at && now >= *claims.expires_at + leeway) {
    return refuse(JwtFault::expired, "the token has expired");
  }
  if (claims.not_before && now < *claims.not_before - leeway) {
    return refuse(JwtFault::not_yet_valid, "the token is not valid yet");
  }
  if (claims.issued_at && now < *claims.issued_at - leeway) {
    return refuse(JwtFault::not_yet_valid, "the token was issued in the future");
  }
  return {};
}

}  // namespace

Result<RegisteredClaims, JwtError> read_registered(const json::Value& claims) {
  ClaimReader reader(claims);
  RegisteredClaims read{.issuer = reader.text("iss"),
                        .subject = reader.text("sub"),
                        .audience = reader.texts("aud"),
                        .expires_at = reader.time("exp"),
                        .not_before = reader.time("nbf"),
                        .issued_at = reader.time("iat"),
                        .id = reader.text("jti")};
  if (!reader.bad().empty()) {
    return refuse(JwtFault::bad_claim, "the token's '" + reader.bad() + "' has the wrong type");
  }
  return read;
}

void add_registered(json::Value& claims, const RegisteredClaims& registered) {
  add_text(claims, "iss", registered.issuer);
  add_text(claims, "sub", registered.subject);
  if (registered.audience.size() == 1) {
    claims["aud"] = registered.audience.front();
  } else if (!registered.audience.empty()) {
    claims["aud"] = json::Value::Array(registered.audience.begin(), registered.audience.end());
  }
  add_time(claims, "exp", registered.expires_at);
  add_time(claims, "nbf", registered.not_before);
  add_time(claims, "iat", registered.issued_at);
  add_text(claims, "jti", registered.id);
}

Result<void, JwtError> check_claims(const RegisteredClaims& claims, const JwtRules& rules,
                                    std::int64_t now) {
  if (!rules.issuer.empty() && claims.issuer != rules.issuer) {
    return refuse(JwtFault::wrong_issuer, "the token has the wrong issuer");
  }
  if (!rules.audience.empty() &&
      std::ranges::find(claims.audience, rules.audience) == claims.audience.end()) {
    return refuse(JwtFault::wrong_audience, "the token has the wrong audience");
  }
  if (rules.requires_expiry && !claims.expires_at) {
    return refuse(JwtFault::missing_claim, "the token has no 'exp'");
  }
  return check_times(claims, std::chrono::floor<std::chrono::seconds>(rules.leeway).count(), now);
}

JwtError bad_own_claims(const Error& error) {
  std::string where;
  for (const FieldError& field : error.fields()) {
    where += " " + field.pointer;
  }
  return {JwtFault::bad_claim, "the token's claims are invalid:" + where};
}

}  // namespace eider::detail::jwt
