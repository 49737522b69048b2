// Logins by a provider: OpenID Connect, and OAuth 2 with an endpoint that tells the user.
// Must not decide who may use the application: its handler does, and begins the session.
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
#include "eider/app/secret_query.h"
#include "eider/auth/oauth/oauth_types.h"
#include "eider/auth/session/session.h"

namespace eider {

namespace detail::oauth {

class Login;

/// Of the request's session; nothing: an app without sessions.
using MaybeSession = std::optional<Slot<session::Entry>>;

[[nodiscard]] Task<Result<OpenIdIdentity>> identify(const Login& login, Request& request,
                                                    std::string user,
                                                    std::type_identity<OpenIdIdentity> wanted);
[[nodiscard]] Task<Result<OAuthIdentity>> identify(const Login& login, Request& request,
                                                   std::string user,
                                                   std::type_identity<OAuthIdentity> wanted);
void describe_callback(Operation& operation);

/// What a handler of the callback takes, made of the provider's answer.
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
/// What stands around logins: the cookie goes that is over, nothing is kept, told on or logged, and
/// a login that has failed leads where the options say.
[[nodiscard]] Hook login_hook(std::shared_ptr<const Login> login);
/// The routes beside it.
void add_routes(Routes& at, const std::shared_ptr<const Login>& login, std::source_location where);

template <class Identity, class F>
void add_login(Routes& at, const std::shared_ptr<const Login>& login, F handler,
               std::source_location where = std::source_location::current()) {
  add_routes(at, login, where);
  at.get(callback_of(*login, where), std::move(handler))
      .guard(CallbackGuard<Identity>(login))
      .use(login_hook(login))
      .use(secret_query());
}

}  // namespace detail::oauth

/// What may be asked of a provider behind a login. Cheap to copy. It, or the app, outlives its
/// tasks.
class OAuthLogin {
 public:
  explicit OAuthLogin(std::shared_ptr<const detail::oauth::Login> login) noexcept
      : login_(std::move(login)) {}

  /// New tokens for a refresh token that the application has kept. Keep the new one in its place.
  ///
  /// errors  401 where it is none any more; 503 where the provider does not answer, 502 where it
  ///         answers nonsense
  /// source  RFC 6749, section 6
  [[nodiscard]] Task<Result<OAuthTokens>> refresh(std::string refresh_token) const;
  /// Where a browser ends its session at the provider, behind Session::end; where the provider does
  /// not have that, `after_logout`. For a logout of one's own in place of OAuthOptions::logout.
  ///
  /// id_token  of the login, if it was kept: without, most providers ask the user
  [[nodiscard]] Task<std::string> logout_location(Client client, std::string id_token = {}) const;

 private:
  std::shared_ptr<const detail::oauth::Login> login_;
};

/// Adds the routes of a login by OpenID Connect: one that begins it, the callback, whose handler
/// this is, and a logout where the options say so.
///
///     openid_login(app,
///                  {.issuer = "https://id.example", .client_id = own.id,
///                   .client_secret = own.secret, .scopes = {"email"}},
///                  [](const OpenIdIdentity& who, Session<> session) {
///                    session.begin_for(who.key());
///                    return Redirect(who.next);
///                  });
///
/// The handler takes what handlers take, a `const OpenIdIdentity&` among it, and is called for who
/// has logged in alone: the code was exchanged, and the ID token checked. It decides whether he is
/// let in, and calls Session::begin_for, which gives the browser a new session.
///
/// Throws a Failure for options that cannot be.
///
/// source  OpenID Connect Core 1.0, section 3.1; RFC 6749, section 4.1; RFC 7636; RFC 9207; RFC
/// 9700
template <class F>
OAuthLogin openid_login(Routes& at, OAuthOptions options, F handler,
                        std::source_location where = std::source_location::current()) {
  const auto login = detail::oauth::make_login(std::move(options), true);
  detail::oauth::add_login<OpenIdIdentity>(at, login, std::move(handler), where);
  return OAuthLogin(login);
}

/// The same by a provider without OpenID, whose endpoints are told, and whose user endpoint says
/// whose the access token is:
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
