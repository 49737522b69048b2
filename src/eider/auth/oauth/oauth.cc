#include "eider/auth/oauth/oauth.h"

#include <optional>
#include <utility>

#include "eider/auth/oauth/login.h"
#include "eider/auth/session/session.h"
#include "eider/core/base/text.h"
#include "eider/core/reflect/type.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace detail::oauth {

namespace {

void keep_nowhere(Response& response) {
  response.replace_header("Cache-Control", "no-store");
  // The URL of the callback contains the code.
  response.replace_header("Referrer-Policy", "no-referrer");
}

/// OpenID Connect Core 1.0, section 5.1: `email_verified` applies to the `email` in the same
/// document, never to one in another document.
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

  Task<Result<Response>> operator()(Request& request, ClientInfo client,
                                    MaybeSession session) const {
    auto begun = co_await login->begin(request, std::move(client),
                                       session ? (*session)->user() : std::string());
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

  Task<Response> operator()(Session<> session, ClientInfo client) const {
    session.log_out();
    const std::string location = co_await login->logout_location(std::move(client), {});
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
  operation.add_problem(400, "This browser did not start the login.");
  operation.add_problem(403, "The login was declined.");
  operation.add_problem(502, "The response of the provider is invalid.");
  operation.add_problem(503, "The provider is not available.");
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
  hook.on_response = [login = std::move(login)](const Request& request, Response& response) {
    login->respond_failure(request, response);
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

namespace {

/// Reads "true", "1" and 1 as a bool; nothing for other values.
std::optional<bool> bool_of(const json::Value& value) {
  const std::string text = value.is_string() ? std::string(value.text()) : json::to_text(value);
  const bool is_true = text == "1" || equals_ignoring_case(text, "true");
  const bool is_false = text == "0" || equals_ignoring_case(text, "false");
  return is_true || is_false ? std::optional(is_true) : std::nullopt;
}

/// Parses a text as a number, as JSON writes it.
std::optional<json::Value> number_of(const json::Value& value) {
  const auto read =
      value.is_string() ? json::read<json::Value>(value.text()) : fail(Error::internal(""));
  return read && read->is_number() ? std::optional(*read) : std::nullopt;
}

void fit(json::Value& value, const reflect::Type& wanted);

/// A null is left out if the member has a default: some providers write null for unknown claims.
void fit_members(json::Value& value, const reflect::Structure& structure) {
  json::Value kept = json::object({});
  for (json::Field& field : value.members()) {
    const reflect::Member* const member = structure.find(field.name);
    if (member == nullptr) {
      continue;
    }
    const bool has_default =
        !structure.is_required(static_cast<std::size_t>(member - structure.first));
    if (!field.value.is_null() || !has_default) {
      fit(field.value, *member->type);
      kept[field.name] = std::move(field.value);
    }
  }
  value = std::move(kept);
}

void fit_elements(json::Value& value, const reflect::Type& element) {
  if (!value.is_array() && !value.is_null() && !value.is_object()) {
    value = json::array({value});
  }
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
    fit(value[i], element);
  }
}

void fit(json::Value& value, const reflect::Type& wanted) {
  using reflect::Kind;
  const reflect::Type& type = reflect::without_rules(wanted);
  switch (type.kind) {
    case Kind::kOptional:
      return fit(value, *type.optional().value);
    case Kind::kStruct:
      return value.is_object() ? fit_members(value, type.structure()) : void();
    case Kind::kSequence:
      return fit_elements(value, *type.sequence().element);
    case Kind::kSet:
      return fit_elements(value, *type.set().element);
    case Kind::kBool:
      if (const auto known = bool_of(value)) {
        value = *known;
      }
      return;
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
      if (auto number = number_of(value)) {
        value = std::move(*number);
      }
      return;
    case Kind::kString:
      if (value.is_integer()) {
        value = json::to_text(value);
      }
      return;
    default:
      return;
  }
}

}  // namespace

std::string joined_claims(const json::Value& first, const json::Value& second,
                          const reflect::Type& wanted) {
  json::Value all = json::object({});
  for (const json::Value* const document : {&first, &second}) {
    for (std::size_t index = 0; document->is_object() && index < document->size(); ++index) {
      const json::Field& field = document->members()[index];
      if (is_of_first(first, second, field.name) == (document == &first)) {
        all[field.name] = field.value;
      }
    }
  }
  fit(all, wanted);
  return json::to_text(all);
}

Error bad_claims(const Error& error) {
  std::string where;
  for (const FieldError& field : error.fields()) {
    where += " " + field.pointer;
  }
  return Error(502, "The login provider did not return the required data.")
      .because("oauth: invalid claims:" + where);
}

}  // namespace detail::oauth

Task<Result<OAuthTokens>> OAuthLogin::refresh(std::string refresh_token) const {
  return login_->refresh(std::move(refresh_token));
}

Task<std::string> OAuthLogin::logout_location(ClientInfo client, std::string id_token) const {
  return login_->logout_location(std::move(client), std::move(id_token));
}

}  // namespace eider
