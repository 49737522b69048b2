#include "eider/oauth/oauth.h"

#include "eider/http/response.h"
#include "eider/oauth/login.h"
#include "eider/session/session.h"

namespace eider {

namespace detail::oauth {

namespace {

void keep_nowhere(Response& response) {
  response.replace_header("Cache-Control", "no-store");
  // The code stands in the callback's address.
  response.replace_header("Referrer-Policy", "no-referrer");
}

/// OpenID Connect Core 1.0, section 5.1: `email_verified` is said of the `email` beside it, and
/// never of one in another document.
bool is_of_first(const json::Value& first, const json::Value& second, std::string_view name) {
  constexpr std::string_view kVerified = "_verified";
  std::string_view subject = name;
  if (name.ends_with(kVerified)) {
    subject.remove_suffix(kVerified.size());
  }
  return first.find(subject) != nullptr ||
         (second.find(subject) == nullptr && first.find(name) != nullptr);
}

struct Begin {
  std::shared_ptr<const Login> login;

  Task<Result<Response>> operator()(Request& request, Client client, MaybeSession session) const {
    auto beginning =
        login->begin(request, std::move(client), session ? (*session)->user() : std::string());
    auto begun = co_await std::move(beginning);
    if (!begun) {
      co_return fail(std::move(begun.error()));
    }
    Response response(302);
    response.add_header("Location", begun->location);
    for (const std::string& cookie : begun->cookies) {
      response.add_header("Set-Cookie", cookie);
    }
    co_return std::move(response);
  }
};

struct Logout {
  std::shared_ptr<const Login> login;

  Task<Response> operator()(Session<> session, Client client) const {
    session.end();
    auto asking = login->logout_location(std::move(client), {});
    const std::string location = co_await std::move(asking);
    Response response(303);
    response.add_header("Location", location);
    keep_nowhere(response);
    co_return std::move(response);
  }
};

}  // namespace

Task<Result<OpenIdIdentity>> identify(const Login& login, Request& request, std::string user,
                                      std::type_identity<OpenIdIdentity> /*wanted*/) {
  return login.openid_identity(request, std::move(user));
}

Task<Result<OAuthIdentity>> identify(const Login& login, Request& request, std::string user,
                                     std::type_identity<OAuthIdentity> /*wanted*/) {
  return login.oauth_identity(request, std::move(user));
}

void describe_callback(Operation& operation) {
  operation.answer_problem(400, "No login that this browser has begun.");
  operation.answer_problem(403, "The login was declined.");
  operation.answer_problem(502, "The provider's answer cannot be accepted.");
  operation.answer_problem(503, "The provider does not answer.");
}

std::shared_ptr<const Login> make_login(OAuthOptions options, bool is_openid) {
  return std::make_shared<const Login>(std::move(options), is_openid);
}

RuntimePattern callback_of(const Login& login, std::source_location where) {
  return RuntimePattern{login.options().callback, where};
}

Hook login_hook(std::shared_ptr<const Login> login) {
  Hook hook;
  hook.name = "oauth";
  hook.after = [login = std::move(login)](const Request& request, Response& response) {
    login->answer_failure(request, response);
    if (const auto cookie = login->end_cookie(request)) {
      response.add_header("Set-Cookie", *cookie);
    }
    keep_nowhere(response);
  };
  return hook;
}

void add_routes(Routes& at, const std::shared_ptr<const Login>& login, std::source_location where) {
  const OAuthOptions& options = login->options();
  at.get(RuntimePattern{options.login, where}, Begin{login}).use(login_hook(login));
  if (!options.logout.empty()) {
    at.post(RuntimePattern{options.logout, where}, Logout{login});
  }
}

std::string joined_claims(const json::Value& first, const json::Value& second) {
  json::Value all = json::object({});
  for (const json::Value* const document : {&first, &second}) {
    for (std::size_t index = 0; document->is_object() && index < document->size(); ++index) {
      const json::Field& field = document->members()[index];
      if (is_of_first(first, second, field.name) == (document == &first)) {
        all[field.name] = field.value;
      }
    }
  }
  return json::to_text(all);
}

Error bad_claims(const Error& error) {
  std::string where;
  for (const FieldError& field : error.fields()) {
    where += " " + field.pointer;
  }
  return Error(502, "The login's provider does not say what is needed.")
      .because("oauth: claims that do not fit:" + where);
}

}  // namespace detail::oauth

Task<Result<OAuthTokens>> OAuthLogin::refresh(std::string refresh_token) const {
  return login_->refresh(std::move(refresh_token));
}

Task<std::string> OAuthLogin::logout_location(Client client, std::string id_token) const {
  return login_->logout_location(std::move(client), std::move(id_token));
}

}  // namespace eider
