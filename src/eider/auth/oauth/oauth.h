// Logins with a provider: OpenID Connect, and OAuth 2 with a userinfo endpoint.
// Layering: must not decide which users may use the application; its handler does, and starts the
// session.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/client.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/redact_query.h"
#include "eider/auth/oauth/oauth_types.h"
#include "eider/auth/session/session.h"

namespace eider {

namespace detail::oauth {

class Login;

/// The entry of the request's session; empty in an app without sessions.
using MaybeSession = std::optional<Extension<session::Entry>>;

[[nodiscard]] Task<Result<OpenIdIdentity>> identify(const Login& login, Request& request,
                                                    std::string user,
                                                    std::type_identity<OpenIdIdentity> wanted);
[[nodiscard]] Task<Result<OAuthIdentity>> identify(const Login& login, Request& request,
                                                   std::string user,
                                                   std::type_identity<OAuthIdentity> wanted);
void describe_callback(Operation& operation);

/// The identity from the provider's response, as a parameter of the callback's handler.
template <class Identity>
class CallbackGuard {
 public:
  explicit CallbackGuard(std::shared_ptr<const Login> login) noexcept : login_(std::move(login)) {}

  Task<Result<Identity>> operator()(Request& request, MaybeSession session) const {
    return identify(*login_, request, session ? (*session)->user() : std::string(),
                    std::type_identity<Identity>());
  }
  void describe(Operation& operation) const { describe_callback(operation); }
  [[nodiscard]] std::string name() const { return "oauth"; }

 private:
  std::shared_ptr<const Login> login_;
};

[[nodiscard]] std::shared_ptr<const Login> make_login(OAuthOptions options, bool is_openid);
[[nodiscard]] RuntimePattern callback_of(const Login& login, std::source_location where);
/// The middleware of login routes: removes the finished cookie, prevents caching, referrers and
/// logging of secrets, and redirects failed logins as the options specify.
[[nodiscard]] Hook login_hook(std::shared_ptr<const Login> login);
/// Adds the other routes.
void add_routes(Routes& at, const std::shared_ptr<const Login>& login, std::source_location where);

template <class Identity, class F>
void add_login(Routes& at, const std::shared_ptr<const Login>& login, F handler,
               std::source_location where = std::source_location::current()) {
  add_routes(at, login, where);
  at.get(callback_of(*login, where), std::move(handler))
      .guard(CallbackGuard<Identity>(login))
      .use(login_hook(login))
      .use(redact_query());
}

}  // namespace detail::oauth

/// Requests to a provider after a login. Cheap to copy. It, or the app, must outlive its tasks.
class OAuthLogin {
 public:
  explicit OAuthLogin(std::shared_ptr<const detail::oauth::Login> login) noexcept
      : login_(std::move(login)) {}

  /// Returns new tokens for a stored refresh token. Store the new one instead of the old one, which
  /// is returned if the provider sends none. `id_token` is empty, since it is not verified.
  ///
  /// errors  401 if it is no longer valid; 503 if the provider does not respond, 502 for an invalid
  ///         response
  /// source  RFC 6749, section 6
  [[nodiscard]] Task<Result<OAuthTokens>> refresh(std::string refresh_token) const;
  /// Returns the URL at which a browser ends its session with the provider, after Session::log_out;
  /// if the provider does not support that, `after_logout`. For a custom logout instead of
  /// OAuthOptions::logout.
  ///
  /// id_token  of the login, if it was stored: without it, most providers ask the user
  [[nodiscard]] Task<std::string> logout_location(ClientInfo client,
                                                  std::string id_token = {}) const;

 private:
  std::shared_ptr<const detail::oauth::Login> login_;
};

/// Adds the routes of a login with OpenID Connect: the start, the callback with this handler, and a
/// logout if the options specify one.
///
///     openid_login(app,
///                  {.issuer = "https://id.example", .client_id = own.id,
///                   .client_secret = own.secret, .scopes = {"email"}},
///                  [](const OpenIdIdentity& who, Session<> session) {
///                    session.log_in(who.key());
///                    return Redirect(who.next);
///                  });
///
/// The handler has the usual parameters, including `const OpenIdIdentity&`. It is called only after
/// a successful login: the code was exchanged, and the ID token verified. The handler decides
/// whether the user may log in, and calls Session::log_in, which starts a new session.
///
/// Throws a Failure for invalid options.
///
/// source  OpenID Connect Core 1.0, section 3.1; RFC 6749, section 4.1; RFC 7636; RFC 9207; RFC
///         9700
template <class F>
OAuthLogin openid_login(Routes& at, OAuthOptions options, F handler,
                        std::source_location where = std::source_location::current()) {
  const auto login = detail::oauth::make_login(std::move(options), true);
  detail::oauth::add_login<OpenIdIdentity>(at, login, std::move(handler), where);
  return OAuthLogin(login);
}

/// As above, for a provider without OpenID Connect. Set its endpoints; the user endpoint returns
/// the owner of the access token:
///
///     oauth_login(app,
///                 {.endpoints = {.authorization = "https://github.com/login/oauth/authorize",
///                                .token = "https://github.com/login/oauth/access_token",
///                                .user = "https://api.github.com/user"},
///                  .client_id = own.id, .client_secret = own.secret},
///                 [](const OAuthIdentity& who, Session<> session) -> Result<Redirect> { … });
template <class F>
OAuthLogin oauth_login(Routes& at, OAuthOptions options, F handler,
                       std::source_location where = std::source_location::current()) {
  const auto login = detail::oauth::make_login(std::move(options), false);
  detail::oauth::add_login<OAuthIdentity>(at, login, std::move(handler), where);
  return OAuthLogin(login);
}

}  // namespace eider
