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

/// The endpoints of a provider. Empty if the provider does not have one.
struct ProviderPlaces {
  std::string authorization;
  std::string token;
  std::string user;  // "userinfo" of OpenID
  std::string keys;
  std::string end_session;
  std::vector<std::string> token_auth_methods;  // empty: not specified
  bool tells_issuer = false;                    // in each redirect to the browser (RFC 9207)
};

/// Checks a URL: "https://…", or "http://…" of this machine if allowed; without a fragment.
///
/// returns  the URL for requests: invalid characters are percent-encoded
/// errors   a sentence, for the log
[[nodiscard]] Result<std::string> checked_place(std::string_view url, bool may_be_here);
/// Returns whether the URL is http:// of this machine.
[[nodiscard]] bool is_here(std::string_view url);

/// Reads the configuration document of a provider.
///
/// issuer  must equal the document's issuer, byte by byte
/// errors  a sentence, for the log
/// source  OpenID Connect Discovery 1.0, sections 3 and 4.3; RFC 8414, section 3.3
[[nodiscard]] Result<ProviderPlaces> read_places(std::string_view json, std::string_view issuer);

/// source  RFC 6749, section 5.1
[[nodiscard]] Result<OAuthTokens> read_tokens(std::string_view json, std::int64_t now);
/// Returns `error` of such a response if it is a standard error code; otherwise an empty string.
[[nodiscard]] std::string error_word(std::string_view json);
/// Reads a JSON object without duplicate members.
[[nodiscard]] Result<json::Value> read_claims(std::string_view json);

/// The response through the browser. Not trusted: any client can create one.
struct BrowserResponse {
  std::optional<std::string> state;
  std::optional<std::string> code;
  std::optional<std::string> error;
  std::optional<std::string> issuer;
};

/// query    not decoded. Other names in it are ignored (RFC 6749, section 4.1.2)
/// returns  nothing if one of the four is a duplicate (section 3.1), not valid text, or too long
[[nodiscard]] std::optional<BrowserResponse> read_response(std::string_view query);
/// Returns the value with that name; nothing unless it occurs exactly once.
[[nodiscard]] std::optional<std::string> query_value(std::string_view query, std::string_view name);

/// Returns the word if it is safe for a log, otherwise "another error".
[[nodiscard]] std::string printable_word(std::string_view word);

}  // namespace eider::detail::oauth
