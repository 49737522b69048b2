#include "eider/auth/jwt/algorithm.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace eider {

namespace {

constexpr std::array<std::string_view, 13> kAlgorithmNames{
    "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256",
    "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"};

}  // namespace

std::string_view to_text(JwtAlgorithm algorithm) noexcept {
  return kAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

std::optional<JwtAlgorithm> parse_jwt_algorithm(std::string_view text) noexcept {
  const auto found = std::ranges::find(kAlgorithmNames, text);
  if (found == kAlgorithmNames.end()) {
    return std::nullopt;
  }
  return static_cast<JwtAlgorithm>(found - kAlgorithmNames.begin());
}

}  // namespace eider
