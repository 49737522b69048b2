// A login from its start to the identity of the user, between routes and provider.
// Layering: must not respond or log users in; the application does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/app/handlers/client.h"
#include "eider/auth/oauth/pending_login.h"
#include "eider/auth/oauth/provider.h"
#include "eider/io/runtime/loop_local.h"

namespace eider::detail::oauth {

/// By which a provider is asked, made once on each loop: tests have their own.
using MakeClient = std::function<std::unique_ptr<HttpClient>(const ClientOptions&)>;
[[nodiscard]] std::unique_ptr<HttpClient> make_usual_client(const ClientOptions& options);

/// Put into the request of a login that has failed.
struct LoginFailed {
  LoginError error;
};

class Login {
 public:
  /// Throws a Failure that says what is wrong with the options.
  Login(OAuthOptions options, bool is_openid, MakeClient make_client = make_usual_client);

  struct Begun {
    std::string location;
    std::vector<std::string> cookies;
  };
  /// user  of the session that the request is of; empty: nobody's
  [[nodiscard]] Task<Result<Begun>> begin(Request& request, ClientInfo client,
                                          std::string user) const;

  /// Of OpenID, and of a provider without.
  [[nodiscard]] Task<Result<OpenIdIdentity>> openid_identity(Request& request,
                                                             std::string user) const;
  [[nodiscard]] Task<Result<OAuthIdentity>> oauth_identity(Request& request,
                                                           std::string user) const;
  /// What a browser gets whose login has failed.
  void respond_failure(const Request& request, Response& response) const;
  /// What ends the cookie of the login that such a request is about, if it has come with one.
  [[nodiscard]] std::optional<std::string> end_cookie(const Request& request) const;

  [[nodiscard]] Task<Result<OAuthTokens>> refresh(std::string refresh_token) const;
  [[nodiscard]] Task<std::string> logout_location(ClientInfo client, std::string id_token) const;

  [[nodiscard]] const OAuthOptions& options() const noexcept { return *options_; }

 private:
  /// A login that has come back with tokens.
  struct Returned {
    PlacesPtr places;
    PendingLogin login;
    LoginSecrets secrets;
    OAuthTokens tokens;
    std::string user;  // who has begun it, and is here
  };
  template <class Identity>
  using Identify = Task<LoginResult<Identity>> (Login::*)(Returned returned) const;

  [[nodiscard]] Result<std::string> own_origin(const ClientInfo& client) const;
  /// What stands ahead of the paths of the options: where the login's routes are in a group, or in
  /// an app that is mounted.
  [[nodiscard]] std::string_view prefix_of(const Request& request) const;
  [[nodiscard]] std::string authorization_url(const ProviderPlaces& places,
                                              const LoginSecrets& secrets,
                                              const std::string& redirect_uri) const;
  [[nodiscard]] LoginResult<Returned> take(const Request& request, std::string user,
                                           std::optional<BrowserResponse>& response) const;
  [[nodiscard]] LoginResult<void> check_response(const ProviderPlaces& places,
                                                 const BrowserResponse& response) const;
  [[nodiscard]] Task<LoginResult<Returned>> finish(Returned returned,
                                                   BrowserResponse response) const;
  [[nodiscard]] Task<LoginResult<OpenIdIdentity>> identify_openid(Returned returned) const;
  [[nodiscard]] Task<LoginResult<OAuthIdentity>> identify_oauth(Returned returned) const;
  /// From the response through the browser to who it is.
  template <class Identity>
  [[nodiscard]] Task<Result<Identity>> come_back(Request& request, std::string user,
                                                 Identify<Identity> identify) const;
  /// For the browser of that request.
  [[nodiscard]] static Error refusal(Request& request, const LoginError& error);
  [[nodiscard]] static Error refusal(const LoginError& error);

  std::shared_ptr<const OAuthOptions> options_;
  bool is_openid_;
  PendingLogins pending_;
  std::unique_ptr<base::UsedTokens> done_;
  LoopLocal<Provider> providers_;
};

}  // namespace eider::detail::oauth
