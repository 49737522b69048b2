// A provider as one event loop sees it: cached document and keys, tokens and users.
// Layering: must not follow redirects, and must not wait without a limit.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/auth/jwt/jwks.h"
#include "eider/auth/jwt/jwt.h"
#include "eider/auth/oauth/provider_responses.h"
#include "eider/client/client.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"

namespace eider::detail::oauth {

/// text  for the log: without tokens, codes and secrets
struct LoginError {
  OAuthFault fault;
  std::string text;
};
template <class T>
using LoginResult = Result<T, LoginError>;

using PlacesPtr = std::shared_ptr<const ProviderPlaces>;
using FormPairs = std::vector<std::pair<std::string, std::string>>;

class Provider {
 public:
  Provider(std::shared_ptr<const OAuthOptions> options, bool is_openid,
           std::unique_ptr<HttpClient> client);

  /// Returns the endpoints; with OpenID Connect, those of its document. Returns immediately if the
  /// document is recent, or while a newer one is fetched.
  [[nodiscard]] Task<LoginResult<PlacesPtr>> places();

  /// Requests tokens from the token endpoint, with a code or a refresh token.
  [[nodiscard]] Task<LoginResult<OAuthTokens>> tokens(PlacesPtr places, FormPairs form);
  [[nodiscard]] Task<LoginResult<json::Value>> user(PlacesPtr places, std::string access_token);
  [[nodiscard]] Task<LoginResult<JwtClaims>> check(std::string id_token, std::string nonce,
                                                   std::string access_token);

 private:
  struct Answered {
    int status;
    std::string body;
  };

  void begin_fetch();
  Task<> fetch_once();
  Task<LoginResult<PlacesPtr>> fetch_places();
  Task<Result<std::string>> fetch_keys();
  Task<LoginResult<Answered>> ask(ClientRequest request);
  [[nodiscard]] LoginResult<void> authenticate(const ProviderPlaces& places, ClientRequest& request,
                                               FormPairs& form) const;

  std::shared_ptr<const OAuthOptions> kept_;
  const OAuthOptions& options_;
  std::unique_ptr<HttpClient> client_;
  PlacesPtr places_;
  std::string failure_;  // of the last request for the document
  Instant fetched_at_;
  Instant asked_at_;
  bool is_openid_;
  bool was_asked_ = false;
  bool is_asking_ = false;
  AsyncEvent answered_;
  jwt::JwksCache keys_;
  Scope asking_;
};

}  // namespace eider::detail::oauth
