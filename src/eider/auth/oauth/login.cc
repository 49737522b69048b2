#include "eider/auth/oauth/login.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/auth/session/users.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/members.h"
#include "eider/core/json/write.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/response.h"

namespace eider::detail::oauth {

namespace {

constexpr std::size_t kLoginsDoneMax = 100'000;
constexpr std::size_t kNextBytesMax = 1024;  // the cookie may hold twice as much

[[noreturn]] void refuse(std::string why) {
  throw Failure(Error::internal("oauth: " + std::move(why)));
}

/// Returns the path of a URL with scheme and host.
std::string_view path_of(std::string_view url) noexcept {
  const std::size_t host = url.find("://");
  const std::size_t path = host == url.npos ? url.npos : url.find('/', host + 3);
  return path == url.npos ? std::string_view() : url.substr(path);
}

void check_place(std::string_view what, std::string_view url) {
  if (const auto place = checked_place(url, true); !place) {
    refuse(std::string(what) + " '" + std::string(url) + "': " + place.error().cause());
  }
}

/// Rejects parameters of the protocol, and those whose effect has to be checked in the response.
void check_parameters(const OAuthOptions& options) {
  constexpr std::array<std::string_view, 11> kOwn{
      "response_type", "response_mode", "client_id",      "redirect_uri",          "scope",
      "state",         "nonce",         "code_challenge", "code_challenge_method", "request",
      "request_uri"};
  constexpr std::array<std::string_view, 2> kChecked{"max_age", "acr_values"};
  for (const auto& [name, value] : options.parameters) {
    if (std::ranges::find(kOwn, name) != kOwn.end()) {
      refuse("'" + name + "' must not be an extra parameter");
    }
    if (std::ranges::find(kChecked, name) != kChecked.end()) {
      refuse("set `." + name +
             " = …` instead of the parameter: the response is checked against the option");
    }
  }
}

void check_paths(const OAuthOptions& options) {
  for (const std::string* path : {&options.login, &options.callback, &options.after_logout}) {
    if (safe_redirect_path(*path, "").empty()) {
      refuse("not a path of this service: '" + *path + "'");
    }
    // The provider gets one fixed URL, in which a brace would be literal.
    if (path->contains('{')) {
      refuse("the path of a login must not contain parameters: '" + *path + "'");
    }
  }
  for (const std::string* path : {&options.logout, &options.failure_page}) {
    if (!path->empty() && safe_redirect_path(*path, "").empty()) {
      refuse("not a path of this service: '" + *path + "'");
    }
  }
}

OAuthOptions checked(OAuthOptions options, bool is_openid) {
  if (options.client_id.empty()) {
    refuse("client_id is missing");
  }
  if (is_openid) {
    check_place("the issuer", options.issuer);
    if (options.issuer.contains('?')) {
      refuse("the issuer must not contain a query");
    }
    if (std::ranges::find(options.scopes, "openid") == options.scopes.end()) {
      options.scopes.insert(options.scopes.begin(), "openid");
    }
  } else {
    check_place("the authorization endpoint", options.endpoints.authorization);
    check_place("the token endpoint", options.endpoints.token);
    check_place("the user endpoint", options.endpoints.user);
    if (options.max_age || !options.acr_values.empty()) {
      refuse(
          "max_age and acr_values need OpenID Connect: without an ID token they cannot be checked");
    }
  }
  if (std::ranges::any_of(options.algorithms, [](JwtAlgorithm algorithm) {
        return to_text(algorithm).starts_with("HS");
      })) {
    refuse("ID tokens must be signed with published keys of the provider, not with secrets");
  }
  if (options.client_secret.empty() &&
      options.client_auth.value_or(OAuthClientAuth::none) != OAuthClientAuth::none) {
    refuse("a client without a secret cannot authenticate with one");
  }
  check_paths(options);
  check_parameters(options);
  if (!options.origin.empty()) {
    const auto url = http::read_http_url(options.origin);
    if (!url || url->origin() != options.origin) {
      refuse("an origin must look like https://notes.example, not '" + options.origin + "'");
    }
  }
  if (options.max_age && *options.max_age < Duration::zero()) {
    refuse("max_age must not be negative");
  }
  if (options.login_within < std::chrono::seconds(1) || options.deadline <= Duration::zero() ||
      options.pause_min <= Duration::zero()) {
    refuse("login_within, deadline and pause_min must be greater than 0");
  }
  return options;
}

PendingOptions pending_options(const OAuthOptions& options, bool is_openid) {
  std::string purpose(is_openid ? "openid" : "plain");
  for (const std::string* part :
       {&options.issuer, &options.endpoints.authorization, &options.endpoints.token,
        &options.client_id, &options.callback}) {
    purpose.append("\n").append(*part);
  }
  return {.purpose = std::move(purpose),
          .key = options.key,
          .cookie = options.cookie,
          .is_secure = options.is_secure,
          .seconds = std::chrono::floor<std::chrono::seconds>(options.login_within).count()};
}

ClientOptions client_options(const OAuthOptions& options) {
  ClientOptions own = options.client;
  own.total = options.deadline;
  own.body_bytes_max = options.bytes_max;
  own.redirects_max = 0;  // secrets and codes must not go to another URL
  own.retries_max = 0;
  own.cookies = nullptr;
  return own;
}

std::string seconds_text(std::optional<Duration> duration) {
  return duration ? std::to_string(std::chrono::floor<std::chrono::seconds>(*duration).count())
                  : std::string();
}

void add_parameter(std::string& url, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    url.append(url.contains('?') ? "&" : "?")
        .append(name)
        .append("=")
        .append(percent_encode(value));
  }
}

struct Told {
  int status;
  std::string_view word;
  std::string_view text;
};

Told told_of(OAuthFault fault) noexcept {
  switch (fault) {
    case OAuthFault::declined:
      return {403, "declined", "The login was declined."};
    case OAuthFault::invalid:
      return {400, "invalid",
              "This login was not started in this browser, is already complete, or took too long. "
              "Log in again."};
    case OAuthFault::refused:
      return {502, "refused", "The login provider sent an invalid response."};
    case OAuthFault::unavailable:
      return {503, "unavailable", "The login provider is not available at the moment."};
  }
  return {};
}

/// RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6.
OAuthFault fault_of_word(std::string_view word) noexcept {
  constexpr std::array<std::string_view, 5> kDeclined{"access_denied", "login_required",
                                                      "interaction_required", "consent_required",
                                                      "account_selection_required"};
  if (std::ranges::find(kDeclined, word) != kDeclined.end()) {
    return OAuthFault::declined;
  }
  return word == "temporarily_unavailable" || word == "server_error" ? OAuthFault::unavailable
                                                                     : OAuthFault::refused;
}

}  // namespace

std::unique_ptr<HttpClient> make_usual_client(const ClientOptions& options) {
  return std::make_unique<HttpClient>(options);
}

Login::Login(OAuthOptions options, bool is_openid, MakeClient make_client)
    : options_(std::make_shared<const OAuthOptions>(checked(std::move(options), is_openid))),
      is_openid_(is_openid),
      pending_(pending_options(*options_, is_openid)),
      done_(std::make_unique<base::UsedTokens>(kLoginsDoneMax)),
      // The provider of an event loop may outlive this object.
      providers_([kept = options_, is_openid, make = std::move(make_client)] {
        return std::make_unique<Provider>(kept, is_openid, make(client_options(*kept)));
      }) {}

Result<std::string> Login::own_origin(const ClientInfo& client) const {
  if (!options_->origin.empty()) {
    return options_->origin;
  }
  const std::string origin = client.scheme + "://" + client.host;
  const auto place = checked_place(origin, true);
  if (!place) {
    // Without encryption, a code in the redirect could be read on the network.
    return fail(Error::internal("oauth: " + origin +
                                " cannot be the origin of a login, because the provider redirects "
                                "to https. Set `origin`, or trust_proxies."));
  }
  return http::read_http_url(*place)->origin();
}

std::string_view Login::prefix_of(const Request& request) const {
  std::string_view route = request.route();
  if (!route.ends_with(options_->login)) {
    return {};
  }
  route.remove_suffix(options_->login.size());
  return route;
}

std::string Login::authorization_url(const ProviderPlaces& places, const LoginSecrets& secrets,
                                     const std::string& redirect_uri) const {
  std::string url = places.authorization;
  add_parameter(url, "response_type", "code");
  add_parameter(url, "client_id", options_->client_id);
  add_parameter(url, "redirect_uri", redirect_uri);
  add_parameter(url, "scope", joined(options_->scopes, " "));
  add_parameter(url, "state", secrets.state);
  add_parameter(url, "nonce", is_openid_ ? secrets.nonce : "");
  add_parameter(url, "code_challenge", to_base64url(to_view(sha256(secrets.verifier))));
  add_parameter(url, "code_challenge_method", "S256");
  add_parameter(url, "max_age", seconds_text(options_->max_age));
  add_parameter(url, "acr_values", joined(options_->acr_values, " "));
  for (const auto& [name, value] : options_->parameters) {
    add_parameter(url, percent_encode(name), value);
  }
  return url;
}

Task<Result<Login::Begun>> Login::begin(Request& request, ClientInfo client,
                                        std::string user) const {
  auto origin = own_origin(client);
  if (!origin) {
    co_return fail(std::move(origin.error()));
  }
  std::string next = safe_redirect_path(query_value(request.query(), "next").value_or(""));
  if (next.size() > kNextBytesMax) {
    next = "/";
  }
  const auto places = co_await providers_.here().places();
  if (!places) {
    co_return fail(refusal(request, places.error()));
  }
  std::string redirect_uri = std::move(*origin);
  redirect_uri.append(prefix_of(request)).append(options_->callback);
  const auto begun = pending_.begin(request,
                                    {.number = {},
                                     .next = std::move(next),
                                     .redirect_uri = redirect_uri,
                                     .user = pending_.digest_of(user)},
                                    Loop::current().wall_seconds());
  Begun told{.location = authorization_url(**places, begun.secrets, redirect_uri),
             .cookies = begun.cookies};
  co_return std::move(told);
}

LoginResult<Login::Returned> Login::take(const Request& request, std::string user,
                                         std::optional<BrowserResponse>& response) const {
  const auto invalid = [](std::string why) {
    return fail(LoginError{OAuthFault::invalid, std::move(why)});
  };
  response = read_response(request.query());
  if (!response || !response->state) {
    return invalid("the redirect from the provider is invalid");
  }
  auto found = pending_.find(request, *response->state, Loop::current().wall_seconds());
  if (!found) {
    return invalid("this browser did not start this login, or the login took too long");
  }
  // Logins of several groups may share a key, but a login that was started on another route has
  // other rules.
  if (path_of(found->login.redirect_uri) != request.route()) {
    return invalid("this login was started on another route");
  }
  // If another user has logged in here since the start, reject the response. If the login was
  // started without a user, accept it: several tabs can log in one after the other.
  if (found->login.user.empty()) {
    user.clear();
  } else if (found->login.user != pending_.digest_of(user)) {
    return invalid("this login was started by another user");
  }
  return Returned{.places = nullptr,
                  .login = std::move(found->login),
                  .secrets = std::move(found->secrets),
                  .tokens = {},
                  .user = std::move(user)};
}

LoginResult<void> Login::check_response(const ProviderPlaces& places,
                                        const BrowserResponse& response) const {
  // RFC 9207, section 2.4: before all other checks, also for errors.
  const bool is_named = response.issuer.has_value();
  if ((is_named || places.tells_issuer) && response.issuer != options_->issuer &&
      !(is_named && options_->issuer.empty())) {
    return fail(LoginError{OAuthFault::refused, "the response came from another provider"});
  }
  if (response.error) {
    const std::string word = printable_word(*response.error);
    return fail(LoginError{fault_of_word(word), "the provider returned the error " + word});
  }
  if (!response.code || response.code->empty()) {
    return fail(LoginError{OAuthFault::refused, "the response has neither a code nor an error"});
  }
  return {};
}

Task<LoginResult<Login::Returned>> Login::finish(Returned returned,
                                                 BrowserResponse response) const {
  auto places = co_await providers_.here().places();
  if (!places) {
    co_return fail(std::move(places.error()));
  }
  if (auto right = check_response(**places, response); !right) {
    co_return fail(std::move(right.error()));
  }
  returned.places = *places;
  FormPairs form;
  form.emplace_back("grant_type", "authorization_code");
  form.emplace_back("code", *response.code);
  form.emplace_back("redirect_uri", returned.login.redirect_uri);
  form.emplace_back("code_verifier", returned.secrets.verifier);
  // Not earlier: a login that fails before this point costs its sender nothing, and such logins
  // could fill the table and block all others.
  const std::int64_t until = returned.login.until;
  if (done_->use(*response.state, "", until, Loop::current().wall_seconds()) !=
      base::UsedTokens::Use::first) {
    co_return fail(LoginError{OAuthFault::invalid, "this login was already completed"});
  }
  auto tokens = co_await providers_.here().tokens(returned.places, std::move(form));
  if (!tokens) {
    // If it is unknown whether the provider has used the code, the login stays used. If the
    // provider has rejected the code, the login is forgotten: otherwise clients could fill the
    // table with invented codes.
    if (tokens.error().fault != OAuthFault::unavailable) {
      done_->forget(*response.state);
    }
    co_return fail(std::move(tokens.error()));
  }
  returned.tokens = std::move(*tokens);
  co_return std::move(returned);
}

namespace {

/// Returns the user that a userinfo response is about. Some providers write a number.
std::string subject_in(const json::Value& userinfo) {
  const json::Value* const subject = userinfo.find("sub");
  if (subject != nullptr && subject->is_integer()) {
    return json::to_text(*subject);
  }
  return std::string(json::text_member(userinfo, "sub").value_or(""));
}

}  // namespace

Task<LoginResult<OpenIdIdentity>> Login::identify_openid(Returned returned) const {
  auto claims = co_await providers_.here().check(returned.tokens.id_token, returned.secrets.nonce,
                                                 returned.tokens.access_token);
  if (!claims) {
    co_return fail(std::move(claims.error()));
  }
  OpenIdIdentity identity{.issuer = options_->issuer,
                          .subject = claims->registered().subject,
                          .claims = claims->all(),
                          .userinfo = {},
                          .tokens = std::move(returned.tokens),
                          .next = std::move(returned.login.next),
                          .started_by = std::move(returned.user)};
  if (options_->fetches_userinfo) {
    auto user = co_await providers_.here().user(returned.places, identity.tokens.access_token);
    if (!user) {
      co_return fail(std::move(user.error()));
    }
    // OpenID Connect Core 1.0, section 5.3.2: userinfo of another user may have been substituted.
    if (subject_in(*user) != identity.subject) {
      co_return fail(
          LoginError{OAuthFault::refused, "the userinfo response belongs to another user"});
    }
    identity.userinfo = std::move(*user);
  }
  co_return std::move(identity);
}

Task<LoginResult<OAuthIdentity>> Login::identify_oauth(Returned returned) const {
  auto user = co_await providers_.here().user(returned.places, returned.tokens.access_token);
  if (!user) {
    co_return fail(std::move(user.error()));
  }
  OAuthIdentity identity{.user = std::move(*user),
                         .tokens = std::move(returned.tokens),
                         .next = std::move(returned.login.next),
                         .started_by = std::move(returned.user)};
  co_return std::move(identity);
}

template <class Identity>
Task<Result<Identity>> Login::come_back(Request& request, std::string user,
                                        Identify<Identity> identify) const {
  std::optional<BrowserResponse> response;
  auto taken = take(request, std::move(user), response);
  if (!taken) {
    co_return fail(refusal(request, taken.error()));
  }
  auto returned = co_await finish(std::move(*taken), std::move(*response));
  if (!returned) {
    co_return fail(refusal(request, returned.error()));
  }
  auto identity = co_await (this->*identify)(std::move(*returned));
  if (!identity) {
    co_return fail(refusal(request, identity.error()));
  }
  co_return std::move(*identity);
}

Task<Result<OpenIdIdentity>> Login::openid_identity(Request& request, std::string user) const {
  return come_back<OpenIdIdentity>(request, std::move(user), &Login::identify_openid);
}

Task<Result<OAuthIdentity>> Login::oauth_identity(Request& request, std::string user) const {
  return come_back<OAuthIdentity>(request, std::move(user), &Login::identify_oauth);
}

std::optional<std::string> Login::end_cookie(const Request& request) const {
  const auto state = query_value(request.query(), "state");
  return state ? pending_.end(request, *state) : std::nullopt;
}

Task<Result<OAuthTokens>> Login::refresh(std::string refresh_token) const {
  auto places = co_await providers_.here().places();
  if (!places) {
    co_return fail(refusal(places.error()));
  }
  FormPairs form;
  form.emplace_back("grant_type", "refresh_token");
  form.emplace_back("refresh_token", refresh_token);
  auto tokens = co_await providers_.here().tokens(*places, std::move(form));
  if (!tokens && tokens.error().fault == OAuthFault::invalid) {
    co_return fail(
        Error::unauthorized("The authorization of the provider has expired. Log in again.")
            .because(tokens.error().text));
  }
  if (!tokens) {
    co_return fail(refusal(tokens.error()));
  }
  tokens->id_token.clear();  // it was not checked
  if (tokens->refresh_token.empty()) {
    tokens->refresh_token = std::move(refresh_token);  // RFC 6749, section 6: it stays valid
  }
  co_return std::move(*tokens);
}

Task<std::string> Login::logout_location(ClientInfo client, std::string id_token) const {
  std::string location = options_->after_logout;
  const auto origin = own_origin(client);
  const auto places = co_await providers_.here().places();
  // The user is logged out here, even if the provider does not end its session.
  if (places && origin && !(*places)->end_session.empty()) {
    location = (*places)->end_session;
    add_parameter(location, "id_token_hint", id_token);
    add_parameter(location, "client_id", options_->client_id);
    add_parameter(location, "post_logout_redirect_uri", *origin + options_->after_logout);
  }
  co_return std::move(location);
}

void Login::respond_failure(const Request& request, Response& response) const {
  const auto* const failed = request.find<LoginFailed>();
  if (failed == nullptr) {
    return;
  }
  if (!options_->failure_page.empty()) {
    std::string location = options_->failure_page;
    add_parameter(location, "login", told_of(failed->error.fault).word);
    response = Response(303);
    response.add_header("Location", location);
  }
  if (options_->on_failure) {
    options_->on_failure(failed->error.fault, failed->error.text, response);
  }
}

Error Login::refusal(Request& request, const LoginError& error) {
  request.set(LoginFailed{error});
  return refusal(error);
}

Error Login::refusal(const LoginError& error) {
  const Told told = told_of(error.fault);
  Error refused = Error(told.status, std::string(told.text)).because("oauth: " + error.text);
  if (error.fault == OAuthFault::unavailable) {
    refused.with_header("Retry-After", "30");
  }
  return refused;
}

}  // namespace eider::detail::oauth
