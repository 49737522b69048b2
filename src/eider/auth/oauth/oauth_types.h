// What logins by a provider are told, and what they tell: options, tokens, identities.
// Must not hold anything that a request is needed for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/auth/jwt/algorithm.h"
#include "eider/client/client_options.h"
#include "eider/core/base/result.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/time.h"

namespace eider {

class Response;

/// Why a login comes to nothing.
enum class OAuthFault : std::uint8_t {
  declined,     ///< the user, or the provider in his place, said no
  invalid,      ///< it was not begun in this browser, has come back already, or took too long
  refused,      ///< what the provider says cannot be believed
  unavailable,  ///< the provider does not answer
};

/// How a client shows at the token endpoint which it is (RFC 6749, section 2.3). `none` is a public
/// one, which has no secret.
enum class OAuthClientAuth : std::uint8_t { basic, post, none };

/// Where a provider without OpenID is asked what. https://, or http:// of this machine.
///
/// user  answers a Bearer token with a JSON object of whose it is
struct OAuthEndpoints {
  std::string authorization = {};
  std::string token = {};
  std::string user = {};
};

struct OAuthOptions {
  /// Of OpenID: "https://id.example", as the provider itself writes it. Where it has no OpenID:
  /// empty, or what has to stand as `iss` in each of its answers (RFC 9207). http:// of this
  /// machine alone.
  std::string issuer = {};
  /// Of a provider without OpenID, which has no document to be found by.
  OAuthEndpoints endpoints = {};
  std::string client_id;
  /// Empty: a public client.
  std::string client_secret = {};

  // Routes, in their group.

  /// GET begins a login; `?next=/notes` is where it leads in the end.
  std::string login = "/login";
  /// GET takes the provider's answer. What is registered there is origin, group and callback.
  std::string callback = "/login/callback";
  /// POST ends the session, and the one at the provider where it lets (OpenID Connect RP-Initiated
  /// Logout 1.0). Empty: no such route.
  std::string logout = {};

  // Paths of this service, whatever the group.

  /// To where both lead that logs out.
  std::string after_logout = "/";
  /// Where a login goes that has failed, with `?login=declined`, `invalid`, `refused` or
  /// `unavailable` behind it: a path of this service. Empty: the answer is an error.
  std::string failed = {};
  /// Told of each login that has failed, for a log or a page of one's own: `response` is what the
  /// browser gets, the error with its status or the way to `failed`. Called on any loop.
  ///
  ///     .refused = [](OAuthFault fault, const std::string& text, Response& response) {
  ///       response.set_static_type("text/html; charset=utf-8");
  ///       response.set_body(page_of(fault));
  ///     }
  ///
  /// text  why, for logs: without codes, tokens and secrets
  std::function<void(OAuthFault fault, const std::string& text, Response& response)> refused = {};

  /// "openid" is asked for by itself where it belongs.
  std::vector<std::string> scopes = {};
  /// More for the authorization request: {{"prompt", "select_account"}}. What it asks for is not
  /// checked in the answer, so what has to be is said by the two below.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  /// OpenID: how long ago the person may have logged in at the provider, in whole seconds; longer
  /// ago, it asks anew. The ID token has to say so (`auth_time`). Nothing: however long ago.
  std::optional<Duration> max_age = {};
  /// OpenID: ways to log in, the best first, one of which the ID token has to name (`acr`): "phr".
  std::vector<std::string> acr_values = {};
  /// "https://notes.example": what stands ahead of the paths above, as browsers see it. Empty: what
  /// the request asks for (Client: behind a proxy see App::trust_proxies), by https, or on this
  /// machine.
  std::string origin = {};
  /// Signs what lies in browsers between the two requests: 32 bytes or more that all processes of
  /// the service share. Empty: made at start, for one process.
  std::string key = {};
  /// What the names of those cookies begin with. __Host- needs TLS: without it, and `is_secure`,
  /// a service in the clear works in all browsers, as in development.
  std::string cookie = "__Host-login";
  bool is_secure = true;
  /// From the begin of a login to its end, in whole seconds.
  Duration login_within = std::chrono::minutes(10);

  /// Nothing: what the provider takes, `basic` first.
  std::optional<OAuthClientAuth> client_auth = {};
  /// What ID tokens may be signed by. Secrets are none: a client that many have, has none to keep.
  std::vector<JwtAlgorithm> algorithms = {
      JwtAlgorithm::rs256, JwtAlgorithm::rs384, JwtAlgorithm::rs512, JwtAlgorithm::ps256,
      JwtAlgorithm::ps384, JwtAlgorithm::ps512, JwtAlgorithm::es256, JwtAlgorithm::es384,
      JwtAlgorithm::es512, JwtAlgorithm::eddsa};
  /// OpenID: the provider is also asked who it is (`userinfo`), which costs a request.
  bool asks_userinfo = false;
  Duration leeway = std::chrono::seconds(30);

  // Requests to the provider.

  /// The provider's document is asked for again once it is older, while it serves on.
  Duration refresh_after = std::chrono::hours(1);
  /// Between two requests for the document, or for keys, whatever comes.
  Duration pause_min = std::chrono::seconds(30);
  /// A document or keys that could not be had again for so long are none any more.
  Duration kept_for = std::chrono::hours(24);
  /// Of each request, from names to the last byte. A login makes four at most.
  Duration deadline = std::chrono::seconds(5);
  /// Of each answer, decompressed.
  std::size_t bytes_max = std::size_t{256} * 1024;
  /// Authorities and proxies. Deadlines, sizes, cookies, redirects and retries are those above and
  /// none.
  ClientOptions client = {};
};

/// What a provider gave for a code. Each of them opens what it is for: keep it away from browsers
/// and logs. Empty texts: it gave none.
///
/// expires_at  of the access token; seconds since 1970
/// scope       what was granted, where that is not what was asked for
struct OAuthTokens {
  std::string access_token = {};
  std::optional<std::int64_t> expires_at = {};
  std::string refresh_token = {};
  std::string scope = {};
  std::string id_token = {};
};

namespace detail::oauth {
/// Of one name in either, the first goes ahead. Whether an address or a telephone number is
/// verified, the one says that also says which. Providers write some values as another JSON type
/// ("true", "1", "300", a number for an id, one value for a list): these are converted to the type
/// of the member that they are for, if nothing is lost by that. A null counts as not given.
[[nodiscard]] std::string joined_claims(const json::Value& first, const json::Value& second,
                                        const reflect::Type& wanted);
[[nodiscard]] Error bad_claims(const Error& error);

template <class T>
Result<T> claims_as(const std::string& text) {
  auto own = json::read<T>(text, {.unknown_members = json::UnknownMembers::kIgnore});
  if (!own) {
    return fail(bad_claims(own.error()));
  }
  return std::move(*own);
}
}  // namespace detail::oauth

/// Who has logged in, as the provider vouches for it. A parameter of openid_login's handler.
///
/// subject   its name of the user: never given to another one, unlike an e-mail address
/// claims    all of the ID token
/// userinfo  what it says besides, if it was asked; else null
/// next      where the browser wanted to go: a path of this service
/// begun_by  the user whose session it was when the login began, which is his still; empty:
/// nobody's.
///           To whose account an identity is added, who has one by now
struct OpenIdIdentity {
  std::string issuer = {};
  std::string subject = {};
  json::Value claims = {};
  json::Value userinfo = {};
  OAuthTokens tokens = {};
  std::string next = "/";
  std::string begun_by = {};

  /// Of one user of all providers: for Session::begin_for and a column.
  [[nodiscard]] std::string key() const { return issuer + " " + subject; }
  /// What is wanted of the claims and of userinfo as a struct; other claims are left out.
  ///
  ///     struct Profile { std::string email; bool email_verified = false; };
  ///     auto profile = identity.as<Profile>();
  ///
  /// errors  502: the provider does not say what is wanted
  template <class T>
  [[nodiscard]] Result<T> as() const {
    return detail::oauth::claims_as<T>(
        detail::oauth::joined_claims(claims, userinfo, reflect::type_of<T>()));
  }
};

/// Whose access token it is, by the word of the provider's user endpoint. A parameter of
/// oauth_login's handler.
///
/// user  what the endpoint says; which of its members names a user for good, its manual tells
/// next, begun_by  as OpenIdIdentity has them
struct OAuthIdentity {
  json::Value user = {};
  OAuthTokens tokens = {};
  std::string next = "/";
  std::string begun_by = {};

  /// As OpenIdIdentity::as.
  template <class T>
  [[nodiscard]] Result<T> as() const {
    return detail::oauth::claims_as<T>(
        detail::oauth::joined_claims(user, {}, reflect::type_of<T>()));
  }
};

template <>
struct Extract<OpenIdIdentity> : ExtractSlot<OpenIdIdentity> {
  static constexpr bool kOwns = true;
};
template <>
struct Extract<OAuthIdentity> : ExtractSlot<OAuthIdentity> {
  static constexpr bool kOwns = true;
};

}  // namespace eider
