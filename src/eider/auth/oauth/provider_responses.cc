#include "eider/auth/oauth/provider_responses.h"

#include <algorithm>
#include <utility>

#include "eider/auth/jwt/jws.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/members.h"
#include "eider/protocols/http/http_url.h"

namespace eider::detail::oauth {

namespace {

constexpr std::size_t kValueBytesMax = 8192;
constexpr std::size_t kWordBytesMax = 40;
constexpr std::size_t kMethodsMax = 32;
constexpr double kSecondsMax = 315'360'000;  // ten years

bool is_loopback(const http::HttpUrl& url) noexcept {
  return url.host == "127.0.0.1" || url.host == "::1" || url.host == "localhost";
}

/// RFC 6749, appendix A: VSCHAR. Such texts are valid in a header.
bool is_visible(std::string_view text) noexcept {
  return !text.empty() &&
         std::ranges::all_of(text, [](char byte) { return byte >= ' ' && byte <= '~'; });
}

/// Returns the URL; empty if it is missing or not allowed.
std::string place_in(const json::Value& document, std::string_view name, bool may_be_here) {
  const auto url = json::text_member(document, name);
  auto place = url ? checked_place(*url, may_be_here) : fail(Error::internal(""));
  return place ? std::move(*place) : std::string();
}

std::vector<std::string> words_in(const json::Value& document, std::string_view name) {
  std::vector<std::string> words;
  const json::Value* member = document.find(name);
  for (std::size_t index = 0;
       member != nullptr && member->is_array() && index < std::min(member->size(), kMethodsMax);
       ++index) {
    if ((*member)[index].is_string()) {
      words.push_back((*member)[index].text());
    }
  }
  return words;
}

/// Some providers write the number as a string.
std::optional<std::int64_t> seconds_of(const json::Value& response) {
  const json::Value* member = response.find("expires_in");
  std::optional<double> seconds;
  if (member != nullptr && member->is_number()) {
    seconds = member->number();
  } else if (member != nullptr && member->is_string()) {
    seconds = parse_double(member->text());
  }
  const bool is_sane = seconds && *seconds >= 0 && *seconds <= kSecondsMax;
  return is_sane ? std::optional(static_cast<std::int64_t>(*seconds)) : std::nullopt;
}

std::unexpected<Error> wrong(std::string why) {
  return fail(Error::internal(std::move(why)));
}

}  // namespace

Result<std::string> checked_place(std::string_view url, bool may_be_here) {
  const auto read = http::read_http_url(url);
  if (!read) {
    return wrong(std::string(read.error()));
  }
  if (url.contains('#')) {
    return wrong("the URL of a provider must not contain a fragment");
  }
  if (!read->is_secure && !(may_be_here && is_loopback(*read))) {
    return wrong(
        "a provider must use https; http is allowed only on this machine, together with a local "
        "issuer");
  }
  return read->to_text();
}

bool is_here(std::string_view url) {
  const auto read = http::read_http_url(url);
  return read && !read->is_secure && is_loopback(*read);
}

Result<ProviderPlaces> read_places(std::string_view json, std::string_view issuer) {
  const auto document = json::read_object(json, jwt::kForeignObject);
  if (!document) {
    return wrong("the provider's configuration document is not a JSON object");
  }
  if (json::text_member(*document, "issuer") != issuer) {
    return wrong("the provider's configuration document belongs to another issuer");
  }
  const auto types = words_in(*document, "response_types_supported");
  if (!types.empty() && std::ranges::find(types, "code") == types.end()) {
    return wrong("the provider does not support the authorization code flow");
  }
  // A document can name any URL. A plain http:// URL on this machine would be a service of our own.
  const bool may_be_here = is_here(issuer);
  const json::Value* const tells = document->find("authorization_response_iss_parameter_supported");
  ProviderPlaces places{
      .authorization = place_in(*document, "authorization_endpoint", may_be_here),
      .token = place_in(*document, "token_endpoint", may_be_here),
      .user = place_in(*document, "userinfo_endpoint", may_be_here),
      .keys = place_in(*document, "jwks_uri", may_be_here),
      .end_session = place_in(*document, "end_session_endpoint", may_be_here),
      .token_auth_methods = words_in(*document, "token_endpoint_auth_methods_supported"),
      .tells_issuer = tells != nullptr && tells->is_bool() && tells->boolean()};
  if (places.authorization.empty() || places.token.empty() || places.keys.empty()) {
    return wrong(
        "the provider's configuration document lacks an endpoint, or contains an invalid one");
  }
  return places;
}

Result<OAuthTokens> read_tokens(std::string_view json, std::int64_t now) {
  const auto response = json::read_object(json, jwt::kForeignObject);
  if (!response) {
    return wrong("the token response is not a JSON object");
  }
  const auto access = json::text_member(*response, "access_token");
  const json::Value* const type = response->find("token_type");
  if (!access || !is_visible(*access)) {
    const std::string word = error_word(json);
    return wrong(word.empty() ? "the token response has no access_token"
                              : "the provider returned the error " + word);
  }
  // RFC 6749, section 7.1: tokens of unknown types must not be used. Some providers leave out the
  // type of a Bearer token.
  const bool has_type = type != nullptr && !type->is_null();
  if (has_type && !(type->is_string() && equals_ignoring_case(type->text(), "Bearer"))) {
    return wrong("the access token is not a Bearer token");
  }
  OAuthTokens tokens{.access_token = std::string(*access)};
  if (const auto seconds = seconds_of(*response)) {
    tokens.expires_at = now + *seconds;
  }
  for (const auto& [name, to] :
       {std::pair("refresh_token", &tokens.refresh_token), std::pair("scope", &tokens.scope),
        std::pair("id_token", &tokens.id_token)}) {
    *to = json::text_member(*response, name).value_or("");
  }
  return tokens;
}

std::string error_word(std::string_view json) {
  const auto response = json::read_object(json, jwt::kForeignObject);
  const auto word = response ? json::text_member(*response, "error") : std::nullopt;
  return word ? printable_word(*word) : std::string();
}

Result<json::Value> read_claims(std::string_view json) {
  auto claims = json::read_object(json, jwt::kForeignObject);
  if (!claims) {
    return wrong("the userinfo response is not a JSON object");
  }
  return std::move(*claims);
}

std::optional<BrowserResponse> read_response(std::string_view query) {
  BrowserResponse response;
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    std::optional<std::string>* const to = name == "state"   ? &response.state
                                           : name == "code"  ? &response.code
                                           : name == "error" ? &response.error
                                           : name == "iss"   ? &response.issuer
                                                             : nullptr;
    if (to == nullptr) {
      continue;
    }
    auto value = percent_decode(pair->value, Plus::space);
    if (to->has_value() || !value || value->size() > kValueBytesMax || !is_utf8(*value)) {
      return std::nullopt;
    }
    *to = std::move(*value);
  }
  return response;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  std::optional<std::string> found;
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    if (percent_decode(pair->name, Plus::space) == name) {
      auto value = percent_decode(pair->value, Plus::space);
      if (found || !value) {
        return std::nullopt;
      }
      found = std::move(*value);
    }
  }
  return found;
}

std::string printable_word(std::string_view word) {
  const bool is_word =
      !word.empty() && word.size() <= kWordBytesMax && std::ranges::all_of(word, [](char byte) {
        return is_letter(byte) || is_digit(byte) || byte == '_';
      });
  return is_word ? std::string(word) : "another error";
}

}  // namespace eider::detail::oauth
