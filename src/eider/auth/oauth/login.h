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

/// Creates the client for requests to the provider, once per event loop. Tests pass their own.
using MakeClient = std::function<std::unique_ptr<HttpClient>(const ClientOptions&)>;
[[nodiscard]] std::unique_ptr<HttpClient> make_usual_client(const ClientOptions& options);

/// Stored in the request of a failed login.
struct LoginFailed {
  LoginError error;
};

class Login {
 public:
  /// Throws a Failure that describes an invalid option.
  Login(OAuthOptions options, bool is_openid, MakeClient make_client = make_usual_client);

  struct Begun {
    std::string location;
    std::vector<std::string> cookies;
  };
  /// user  of the request's session; empty without one
  [[nodiscard]] Task<Result<Begun>> begin(Request& request, ClientInfo client,
                                          std::string user) const;

  /// For providers with and without OpenID Connect.
  [[nodiscard]] Task<Result<OpenIdIdentity>> openid_identity(Request& request,
                                                             std::string user) const;
  [[nodiscard]] Task<Result<OAuthIdentity>> oauth_identity(Request& request,
                                                           std::string user) const;
  /// Changes the response to the browser after a failed login.
  void respond_failure(const Request& request, Response& response) const;
  /// Returns the header value that removes the cookie of the login, if the request has one.
  [[nodiscard]] std::optional<std::string> end_cookie(const Request& request) const;

  [[nodiscard]] Task<Result<OAuthTokens>> refresh(std::string refresh_token) const;
  [[nodiscard]] Task<std::string> logout_location(ClientInfo client, std::string id_token) const;

  [[nodiscard]] const OAuthOptions& options() const noexcept { return *options_; }

 private:
  /// A login whose code was exchanged for tokens.
  struct Returned {
    PlacesPtr places;
    PendingLogin login;
    LoginSecrets secrets;
    OAuthTokens tokens;
    std::string user;  // the user who started the login and is still logged in
  };
  template <class Identity>
  using Identify = Task<LoginResult<Identity>> (Login::*)(Returned returned) const;

  [[nodiscard]] Result<std::string> own_origin(const ClientInfo& client) const;
  /// Returns the prefix of the paths in the options, if the routes are in a group or a mounted app.
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
  /// Converts the redirect from the provider to the identity of the user.
  template <class Identity>
  [[nodiscard]] Task<Result<Identity>> come_back(Request& request, std::string user,
                                                 Identify<Identity> identify) const;
  /// Returns the error for the browser of that request.
  [[nodiscard]] static Error refusal(Request& request, const LoginError& error);
  [[nodiscard]] static Error refusal(const LoginError& error);

  std::shared_ptr<const OAuthOptions> options_;
  bool is_openid_;
  PendingLogins pending_;
  std::unique_ptr<base::UsedTokens> done_;
  LoopLocal<Provider> providers_;
};

}  // namespace eider::detail::oauth
