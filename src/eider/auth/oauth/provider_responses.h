// Parsers for the responses of a provider: its document, tokens, and redirects.
// Layering: must not send requests, and must not trust unchecked data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/oauth/oauth_types.h"
#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider::detail::oauth {

/// Where a provider is asked what. What is empty it does not have.
struct ProviderPlaces {
  std::string authorization;
  std::string token;
  std::string user;  // "userinfo" of OpenID
  std::string keys;
  std::string end_session;
  std::vector<std::string> token_auth_methods;  // empty: it does not say
  bool tells_issuer = false;                    // in each response through the browser (RFC 9207)
};

/// "https://…", or "http://…" of this machine where that may be; without a fragment.
///
/// returns  it as it is to be asked: what cannot stand in a URL is percent-encoded
/// errors   a sentence, for the log
[[nodiscard]] Result<std::string> checked_place(std::string_view url, bool may_be_here);
/// Whether it is http:// of this machine.
[[nodiscard]] bool is_here(std::string_view url);

/// A document of a provider.
///
/// issuer  has to be its own, byte by byte
/// errors  a sentence, for the log
/// source  OpenID Connect Discovery 1.0, sections 3 and 4.3; RFC 8414, section 3.3
[[nodiscard]] Result<ProviderPlaces> read_places(std::string_view json, std::string_view issuer);

/// source  RFC 6749, section 5.1
[[nodiscard]] Result<OAuthTokens> read_tokens(std::string_view json, std::int64_t now);
/// `error` of such a response, if it is one of the words that standards have; else empty.
[[nodiscard]] std::string error_word(std::string_view json);
/// A JSON object, none of whose members occurs twice.
[[nodiscard]] Result<json::Value> read_claims(std::string_view json);

/// What comes back through the browser. Anybody can make one.
struct BrowserResponse {
  std::optional<std::string> state;
  std::optional<std::string> code;
  std::optional<std::string> error;
  std::optional<std::string> issuer;
};

/// query    not decoded. Other names in it are passed over (RFC 6749, section 4.1.2)
/// returns  nothing where one of the four is there twice (section 3.1), is no text, or too long
[[nodiscard]] std::optional<BrowserResponse> read_response(std::string_view query);
/// The value of that name; nothing where it is not there once.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

/// A word that may stand in a log, else "another error".
[[nodiscard]] std::string printable_word(std::string_view word);

}  // namespace eider::detail::oauth
