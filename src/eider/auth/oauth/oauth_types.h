// Options, tokens and identities of logins with a provider.
// Layering: must not contain anything that needs a request.
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

/// The reason why a login failed.
enum class OAuthFault : std::uint8_t {
  declined,     ///< the user declined, or the provider did on behalf of the user
  invalid,      ///< not started in this browser, already completed, or expired
  refused,      ///< the provider's response is not trustworthy
  unavailable,  ///< the provider does not respond
};

/// How a client authenticates at the token endpoint (RFC 6749, section 2.3). `none` is for public
/// clients, which have no secret.
enum class OAuthClientAuth : std::uint8_t { basic, post, none };

/// Endpoints of a provider without OpenID Connect: https://, or http:// on this machine.
///
/// user  responds to a Bearer token with a JSON object that describes its owner
struct OAuthEndpoints {
  std::string authorization = {};
  std::string token = {};
  std::string user = {};
};

struct OAuthOptions {
  /// Issuer of OpenID Connect: "https://id.example", exactly as the provider writes it. For other
  /// providers: empty, or the required value of `iss` in each response (RFC 9207). http:// only on
  /// this machine.
  std::string issuer = {};
  /// Endpoints of a provider without OpenID Connect, which has no configuration document.
  OAuthEndpoints endpoints = {};
  std::string client_id;
  /// Secret of the client; empty: a public client.
  std::string client_secret = {};

  // Routes, in their group.

  /// GET starts a login; `?next=/notes` is the page after it, "/" if it is longer than 1 KiB.
  std::string login = "/login";
  /// GET receives the response of the provider. Register the URL with origin, group and callback
  /// there.
  std::string callback = "/login/callback";
  /// POST ends the session, and the one with the provider if supported (OpenID Connect RP-Initiated
  /// Logout 1.0). Empty: no such route.
  std::string logout = {};

  // Paths of this service, not relative to the group.

  /// Page after a logout.
  std::string after_logout = "/";
  /// Page after a failed login, with `?login=declined`, `invalid`, `refused` or `unavailable`: a
  /// path of this service. Empty: the response is an error.
  std::string failure_page = {};
  /// Called for each failed login, for a log or a custom page: `response` is the response to the
  /// browser, the error with its status or the redirect to `failure_page`. Called on any event
  /// loop.
  ///
  ///     .on_failure = [](OAuthFault fault, const std::string& text, Response& response) {
  ///       response.set_static_type("text/html; charset=utf-8");
  ///       response.set_body(page_of(fault));
  ///     }
  ///
  /// text  reason, for logs: without codes, tokens and secrets
  std::function<void(OAuthFault fault, const std::string& text, Response& response)> on_failure =
      {};

  /// Requested scopes; "openid" is added automatically if needed.
  std::vector<std::string> scopes = {};
  /// Further parameters of the authorization request: {{"prompt", "select_account"}}. Their effect
  /// is not checked in the response, so use the two options below for requirements.
  std::vector<std::pair<std::string, std::string>> parameters = {};
  /// OpenID Connect: maximum time since the user's login with the provider, in whole seconds; if it
  /// was earlier, the user must log in again. The ID token must confirm it (`auth_time`). Default:
  /// no limit.
  std::optional<Duration> max_age = {};
  /// OpenID Connect: accepted authentication methods, the preferred one first, such as "phr". The
  /// ID token must contain one of them (`acr`).
  std::vector<std::string> acr_values = {};
  /// Public origin of the paths above: "https://notes.example". Empty: the origin of the request
  /// (ClientInfo: after a proxy see App::trust_proxies), with https, or on this machine.
  std::string origin = {};
  /// Key that signs cookies between the two requests: at least 32 secret bytes, shared by all
  /// processes of the service. Empty: generated at startup, for one process.
  std::string key = {};
  /// Prefix of the names of these cookies. __Host- needs TLS: without it, and without `is_secure`,
  /// an unencrypted service works in all browsers, as during development.
  std::string cookie = "__Host-login";
  bool is_secure = true;
  /// Time limit of a login, in whole seconds.
  Duration login_within = std::chrono::minutes(10);

  /// Authentication of the client. Default: a method that the provider supports, `basic` first.
  std::optional<OAuthClientAuth> client_auth = {};
  /// Allowed signature algorithms of ID tokens. Algorithms with secrets are not supported, because
  /// public clients cannot keep one.
  std::vector<JwtAlgorithm> algorithms = {
      JwtAlgorithm::rs256, JwtAlgorithm::rs384, JwtAlgorithm::rs512, JwtAlgorithm::ps256,
      JwtAlgorithm::ps384, JwtAlgorithm::ps512, JwtAlgorithm::es256, JwtAlgorithm::es384,
      JwtAlgorithm::es512, JwtAlgorithm::eddsa};
  /// OpenID Connect: also requests the user's data from the provider (`userinfo`), which costs a
  /// request.
  bool fetches_userinfo = false;
  Duration leeway = std::chrono::seconds(30);

  // Requests to the provider.

  /// Age after which the provider's document is fetched again, while it is still used.
  Duration refresh_after = std::chrono::hours(1);
  /// Minimum time between two requests for the document or for keys.
  Duration pause_min = std::chrono::seconds(30);
  /// Time for which the configuration document and keys are used if they cannot be fetched again.
  Duration stale_if_error = std::chrono::hours(24);
  /// Time limit of each request, including name resolution. A login needs at most four.
  Duration deadline = std::chrono::seconds(5);
  /// Maximum size of each response, decompressed.
  std::size_t bytes_max = std::size_t{256} * 1024;
  /// Certificate authorities and proxies for requests to the provider. `total`, sizes, cookies,
  /// redirects and retries in it have no effect.
  ClientOptions client = {};
};

/// The tokens of a provider. Keep them away from browsers and logs, because they grant access.
/// Empty texts: not sent.
///
/// expires_at  of the access token; seconds since 1970
/// scope       granted scopes, if they differ from the requested ones
struct OAuthTokens {
  std::string access_token = {};
  std::optional<std::int64_t> expires_at = {};
  std::string refresh_token = {};
  std::string scope = {};
  std::string id_token = {};
};

namespace detail::oauth {
/// Joins two sets of claims; the first one takes precedence. The set with an address or a telephone
/// number also decides whether it is verified. Providers write some values as another JSON type
/// ("true", "1", "300", a number for an id, one value for a list): these are converted to the type
/// of the member that they are for, if nothing is lost by that. A null counts as absent.
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

/// The user who has logged in, as the provider confirms. A parameter of openid_login's handler.
///
/// subject   the provider's name of the user: never reused, unlike an e-mail address
/// claims    all of the ID token
/// userinfo  further data, if it was requested; otherwise null
/// next      page that the browser requested: a path of this service
/// started_by  user whose session started the login and is still logged in, empty without one: for
///           adding an identity to an existing account
struct OpenIdIdentity {
  std::string issuer = {};
  std::string subject = {};
  json::Value claims = {};
  json::Value userinfo = {};
  OAuthTokens tokens = {};
  std::string next = "/";
  std::string started_by = {};

  /// Returns a key that is unique among all providers, for Session::log_in and a column.
  [[nodiscard]] std::string key() const { return issuer + " " + subject; }
  /// Reads the wanted claims and userinfo into a struct; other claims are ignored.
  ///
  ///     struct Profile { std::string email; bool email_verified = false; };
  ///     auto profile = identity.as<Profile>();
  ///
  /// errors  502: the provider did not send the required data
  template <class T>
  [[nodiscard]] Result<T> as() const {
    return detail::oauth::claims_as<T>(
        detail::oauth::joined_claims(claims, userinfo, reflect::type_of<T>()));
  }
};

/// The owner of the access token, as reported by the provider's user endpoint. A parameter of
/// oauth_login's handler.
///
/// user  response of the endpoint; see the provider's manual for the member that identifies a user
///       permanently
/// next, started_by  as in OpenIdIdentity
struct OAuthIdentity {
  json::Value user = {};
  OAuthTokens tokens = {};
  std::string next = "/";
  std::string started_by = {};

  /// As OpenIdIdentity::as.
  template <class T>
  [[nodiscard]] Result<T> as() const {
    return detail::oauth::claims_as<T>(
        detail::oauth::joined_claims(user, {}, reflect::type_of<T>()));
  }
};

template <>
struct Extract<OpenIdIdentity> : ExtractExtension<OpenIdIdentity> {
  static constexpr bool kOwnsData = true;
};
template <>
struct Extract<OAuthIdentity> : ExtractExtension<OAuthIdentity> {
  static constexpr bool kOwnsData = true;
};

}  // namespace eider
