#include "eider/auth/oauth/provider.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "eider/auth/oauth/id_token.h"
#include "eider/core/base/url.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/status.h"

namespace eider::detail::oauth {

namespace {

constexpr int kOk = 200;
constexpr std::string_view kDocument = "/.well-known/openid-configuration";

std::unexpected<LoginError> failed(OAuthFault fault, std::string text) {
  return fail(LoginError{fault, std::move(text)});
}

/// Returns whether the code is used, expired or of another client: the user can log in again. RFC
/// 6749, section 5.2 defines one error code for that, with status 400. Some providers have their
/// own, and send 200 or 401.
bool is_about_code(std::string_view word) noexcept {
  constexpr auto kWords =
      std::to_array<std::string_view>({"invalid_grant", "bad_verification_code", "invalid_code",
                                       "code_already_used", "code_expired", "expired_token"});
  return std::ranges::find(kWords, word) != kWords.end();
}

/// OpenID Connect Discovery 1.0, section 4.1.
std::string document_of(std::string_view issuer) {
  if (issuer.ends_with('/')) {
    issuer.remove_suffix(1);
  }
  return std::string(issuer).append(kDocument);
}

JwksOptions key_options(const OAuthOptions& options) {
  JwksOptions own;
  own.refresh_after = options.refresh_after;
  own.pause_min = options.pause_min;
  own.stale_if_error = options.stale_if_error;
  // For RSA keys without `alg`.
  const auto rsa = std::ranges::find_if(options.algorithms, [](JwtAlgorithm algorithm) {
    return to_text(algorithm).starts_with("RS") || to_text(algorithm).starts_with("PS");
  });
  own.rsa_default = rsa == options.algorithms.end() ? JwtAlgorithm::rs256 : *rsa;
  return own;
}

PlacesPtr places_of(const OAuthEndpoints& endpoints, bool tells_issuer) {
  ProviderPlaces places;
  places.authorization = *checked_place(endpoints.authorization, true);
  places.token = *checked_place(endpoints.token, true);
  places.user = *checked_place(endpoints.user, true);
  places.tells_issuer = tells_issuer;
  return std::make_shared<const ProviderPlaces>(std::move(places));
}

/// Returns the error for a status other than 200.
LoginError unwanted(std::string_view what, int status) {
  return {is_server_error(status) || status == kTooManyRequests ? OAuthFault::unavailable
                                                                : OAuthFault::refused,
          "the provider responded with " + std::to_string(status) + " for " + std::string(what)};
}

}  // namespace

Provider::Provider(std::shared_ptr<const OAuthOptions> options, bool is_openid,
                   std::unique_ptr<HttpClient> client)
    : kept_(std::move(options)),
      options_(*kept_),
      client_(std::move(client)),
      is_openid_(is_openid),
      keys_(key_options(options_), [this] { return fetch_keys(); }) {
  if (!is_openid) {
    places_ = places_of(options_.endpoints, !options_.issuer.empty());
  }
}

Task<LoginResult<PlacesPtr>> Provider::places() {
  if (!is_openid_) {
    co_return places_;
  }
  const auto age = [this] { return Loop::current().now() - fetched_at_; };
  const bool is_usable = places_ != nullptr && age() < options_.stale_if_error;
  if (!is_usable || age() >= options_.refresh_after) {
    begin_fetch();
  }
  if (!is_usable && is_asking_) {
    co_await answered_.wait();
  }
  if (places_ == nullptr || age() >= options_.stale_if_error) {
    co_return failed(OAuthFault::unavailable,
                     "the provider's configuration document is not available: " + failure_);
  }
  co_return places_;
}

void Provider::begin_fetch() {
  const bool is_due = !was_asked_ || Loop::current().now() - asked_at_ >= options_.pause_min;
  if (is_asking_ || !is_due) {
    return;
  }
  is_asking_ = true;
  was_asked_ = true;
  asked_at_ = Loop::current().now();
  answered_.reset();
  // In the scope: if the client of one request disconnects, other requests still get the response.
  asking_.start(fetch_once());
}

Task<> Provider::fetch_once() {
  try {
    auto fetched = co_await fetch_places();
    if (fetched) {
      places_ = std::move(*fetched);
      fetched_at_ = Loop::current().now();
    } else {
      failure_ = std::move(fetched.error().text);
    }
  } catch (const std::exception& exception) {
    failure_ = exception.what();
  }
  is_asking_ = false;
  answered_.set();
}

Task<LoginResult<PlacesPtr>> Provider::fetch_places() {
  auto reply = co_await ask(client_->request(Method::get, document_of(options_.issuer)));
  if (!reply) {
    co_return fail(std::move(reply.error()));
  }
  if (reply->status != kOk) {
    co_return fail(unwanted("its configuration document", reply->status));
  }
  auto places = read_places(reply->body, options_.issuer);
  if (!places) {
    co_return failed(OAuthFault::refused, places.error().cause());
  }
  co_return std::make_shared<const ProviderPlaces>(std::move(*places));
}

Task<Result<std::string>> Provider::fetch_keys() {
  const auto places = co_await this->places();
  if (!places) {
    co_return fail(Error::internal(places.error().text));
  }
  auto reply = co_await ask(client_->request(Method::get, (*places)->keys));
  if (!reply || reply->status != kOk) {
    co_return fail(Error::internal("the provider's keys are not available"));
  }
  co_return std::move(reply->body);
}

Task<LoginResult<Provider::Answered>> Provider::ask(ClientRequest request) {
  // Requests JSON: otherwise GitHub responds with a form.
  request.header("Accept", "application/json");
  auto reply = co_await request.send();
  if (!reply) {
    const bool is_bad = reply.error().fault == ClientFault::too_large ||
                        reply.error().fault == ClientFault::bad_response ||
                        reply.error().fault == ClientFault::bad_coding;
    co_return failed(is_bad ? OAuthFault::refused : OAuthFault::unavailable, reply.error().text);
  }
  Answered answered{reply->status(), std::string(reply->body())};
  co_return std::move(answered);
}

LoginResult<void> Provider::authenticate(const ProviderPlaces& places, ClientRequest& request,
                                         FormPairs& form) const {
  const auto takes = [&](std::string_view method) {
    return std::ranges::find(places.token_auth_methods, method) != places.token_auth_methods.end();
  };
  // Default: client_secret_basic (OpenID Connect Discovery 1.0, section 3).
  const bool takes_basic = places.token_auth_methods.empty() || takes("client_secret_basic");
  OAuthClientAuth auth = takes_basic ? OAuthClientAuth::basic : OAuthClientAuth::post;
  if (options_.client_secret.empty()) {
    auth = OAuthClientAuth::none;
  } else if (!options_.client_auth && !takes_basic && !takes("client_secret_post")) {
    return failed(
        OAuthFault::refused,
        "the provider does not support a known authentication method for clients with secrets");
  }
  switch (options_.client_auth.value_or(auth)) {
    case OAuthClientAuth::basic:
      // RFC 6749, section 2.3.1: encoded as in forms.
      request.basic_auth(percent_encode(options_.client_id),
                         percent_encode(options_.client_secret));
      return {};
    case OAuthClientAuth::post:
      form.emplace_back("client_secret", options_.client_secret);
      form.emplace_back("client_id", options_.client_id);
      return {};
    case OAuthClientAuth::none:
      form.emplace_back("client_id", options_.client_id);
      return {};
  }
  return {};
}

Task<LoginResult<OAuthTokens>> Provider::tokens(PlacesPtr places, FormPairs form) {
  auto request = client_->request(Method::post, places->token);
  if (auto authenticated = authenticate(*places, request, form); !authenticated) {
    co_return fail(std::move(authenticated.error()));
  }
  std::vector<FormField> fields;
  for (const auto& [name, value] : form) {
    fields.emplace_back(name, value);
  }
  request.form(fields);
  const auto reply = co_await ask(std::move(request));
  if (!reply) {
    co_return fail(reply.error());
  }
  const std::string word = error_word(reply->body);
  if (is_about_code(word)) {
    co_return failed(OAuthFault::invalid, "the provider returned the error " + word);
  }
  if (reply->status != kOk) {
    LoginError error = unwanted("tokens", reply->status);
    error.text += word.empty() ? "" : ": " + word;
    co_return fail(std::move(error));
  }
  auto tokens = read_tokens(reply->body, Loop::current().wall_seconds());
  if (!tokens) {
    co_return failed(OAuthFault::refused, tokens.error().cause());
  }
  co_return std::move(*tokens);
}

Task<LoginResult<json::Value>> Provider::user(PlacesPtr places, std::string access_token) {
  if (places->user.empty()) {
    co_return failed(OAuthFault::refused, "the provider has no userinfo endpoint");
  }
  auto request = client_->request(Method::get, places->user);
  request.bearer(access_token);
  const auto reply = co_await ask(std::move(request));
  if (!reply) {
    co_return fail(reply.error());
  }
  if (reply->status != kOk) {
    co_return fail(unwanted("the user", reply->status));
  }
  auto claims = read_claims(reply->body);
  if (!claims) {
    co_return failed(OAuthFault::refused, claims.error().cause());
  }
  co_return std::move(*claims);
}

Task<LoginResult<JwtClaims>> Provider::check(std::string id_token, std::string nonce,
                                             std::string access_token) {
  if (id_token.empty()) {
    co_return failed(OAuthFault::refused, "the response has no id_token");
  }
  const auto check = [rules = IdTokenRules{.issuer = options_.issuer,
                                           .client_id = options_.client_id,
                                           .nonce = std::move(nonce),
                                           .access_token = std::move(access_token),
                                           .algorithms = options_.algorithms,
                                           .leeway = options_.leeway,
                                           .max_age = options_.max_age,
                                           .acr_values = options_.acr_values},
                      id_token](std::span<const JwtKey> keys) {
    return check_id_token(id_token, keys, rules, Loop::current().wall_seconds());
  };
  auto claims = co_await keys_.check(id_token, check);
  if (!claims) {
    const bool is_ours = claims.error().fault == JwtFault::keys_unavailable;
    co_return failed(is_ours ? OAuthFault::unavailable : OAuthFault::refused, claims.error().text);
  }
  co_return std::move(*claims);
}

}  // namespace eider::detail::oauth
