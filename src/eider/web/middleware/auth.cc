#include "eider/web/middleware/auth.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"

namespace eider {

namespace {

using Security = Operation::Security;

bool has_control_bytes(std::string_view text) noexcept {
  return std::ranges::any_of(
      text, [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; });
}

/// Returns the text after the scheme and spaces; nothing for another scheme (RFC 9110, section
/// 11.4).
std::optional<std::string_view> behind_scheme(std::string_view authorization,
                                              std::string_view scheme) noexcept {
  if (authorization.size() <= scheme.size() || authorization[scheme.size()] != ' ' ||
      !equals_ignoring_case(authorization.substr(0, scheme.size()), scheme)) {
    return std::nullopt;
  }
  return trim(authorization.substr(scheme.size()));
}

/// Matches 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=".
bool is_token68(std::string_view text) noexcept {
  const std::size_t end = std::min(text.find('='), text.size());
  return end > 0 && text.find_first_not_of('=', end) == std::string_view::npos &&
         std::ranges::all_of(text.substr(0, end), [](char byte) {
           return is_letter(byte) || is_digit(byte) || std::string_view("-._~+/").contains(byte);
         });
}

/// The realm is sent as a quoted string, which a quote in it would end.
void check_realm(std::string_view realm) {
  if (has_control_bytes(realm) || realm.find_first_of("\"\\") != std::string_view::npos) {
    throw Failure(
        Error::internal("A realm must not contain quotes, backslashes or control characters"));
  }
}

/// The length comes first, so that different pairs have different texts: "a" "b:c" and "a:b" "c".
std::string login_text(std::string_view user, std::string_view password) {
  return std::to_string(user.size()).append(":").append(user).append(password);
}

SecretTable table_of(const std::map<std::string, std::string>& users) {
  std::map<std::string, Identity> secrets;
  for (const auto& [user, password] : users) {
    if (password.empty()) {
      throw Failure(Error::internal("basic_auth: The password of " + user + " must not be empty"));
    }
    secrets.emplace(login_text(user, password), Identity{.name = user});
  }
  return SecretTable(secrets);
}

std::string_view authorization_of(const Request& request) noexcept {
  return request.header("Authorization").value_or("");
}

void describe_scheme(Operation& operation, Security scheme) {
  operation.secure(std::move(scheme));
  operation.add_problem(401, "Authentication is required.");
}

}  // namespace

SecretTable::SecretTable(const std::map<std::string, Identity>& secrets) {
  for (const auto& [secret, owner] : secrets) {
    if (secret.empty()) {
      throw Failure(Error::internal("A secret of " + owner.name + " must not be empty"));
    }
    known_.push_back({sha256(secret), owner});
  }
}

/// Compares with all digests, which have the same length, so that the duration reveals neither
/// which secret matched nor its length.
std::optional<Identity> SecretTable::find(std::string_view secret) const {
  const Sha256Digest digest = sha256(secret);
  const Identity* owner = nullptr;
  for (const Known& known : known_) {
    if (equals_in_constant_time(to_view(digest), to_view(known.digest))) {
      owner = &known.owner;
    }
  }
  return owner == nullptr ? std::nullopt : std::optional(*owner);
}

std::optional<BasicCredentials> parse_basic(std::string_view authorization) {
  const auto encoded = behind_scheme(authorization, "Basic");
  const auto text = encoded ? from_base64(*encoded) : std::nullopt;
  if (!text || has_control_bytes(*text) || !is_utf8(*text)) {
    return std::nullopt;
  }
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos) {
    return std::nullopt;
  }
  return BasicCredentials{text->substr(0, colon), text->substr(colon + 1)};
}

std::optional<std::string_view> parse_bearer(std::string_view authorization) {
  const auto token = behind_scheme(authorization, "Bearer");
  return token && is_token68(*token) ? token : std::nullopt;
}

BasicGuard::BasicGuard(BasicAuth options)
    : options_(std::move(options)), users_(table_of(options_.users)) {
  check_realm(options_.realm);
  options_.users.clear();  // the digests are sufficient
}

std::optional<Identity> BasicGuard::caller(const Request& request) const {
  const auto given = parse_basic(authorization_of(request));
  if (!given) {
    return std::nullopt;
  }
  return options_.check ? options_.check(*given)
                        : users_.find(login_text(given->user, given->password));
}

Result<Identity> BasicGuard::operator()(const Request& request) const {
  if (auto known = caller(request)) {
    return std::move(*known);
  }
  return fail(Error::unauthorized("Authentication required.")
                  .with_header("WWW-Authenticate",
                               "Basic realm=\"" + options_.realm + "\", charset=\"UTF-8\""));
}

void BasicGuard::describe(Operation& operation) const {
  describe_scheme(operation, {.name = "basic", .kind = Security::Kind::http, .field = "basic"});
}

BearerGuard::BearerGuard(BearerAuth options)
    : options_(std::move(options)), tokens_(options_.tokens) {
  check_realm(options_.realm);
  options_.tokens.clear();
}

Result<Identity> BearerGuard::operator()(const Request& request) const {
  const auto token = parse_bearer(authorization_of(request));
  if (token) {
    if (auto known = options_.check ? options_.check(*token) : tokens_.find(*token)) {
      return std::move(*known);
    }
  }
  // RFC 6750, section 3.1: the response to a request without credentials has no error code.
  const std::string_view code = token ? ", error=\"invalid_token\"" : "";
  return fail(Error::unauthorized("Missing or invalid bearer token.")
                  .with_header("WWW-Authenticate",
                               "Bearer realm=\"" + options_.realm + "\"" + std::string(code)));
}

void BearerGuard::describe(Operation& operation) const {
  describe_scheme(operation, {.name = "bearer", .kind = Security::Kind::http, .field = "bearer"});
}

ApiKeyGuard::ApiKeyGuard(ApiKeyAuth options) : options_(std::move(options)), keys_(options_.keys) {
  options_.keys.clear();
}

Result<Identity> ApiKeyGuard::operator()(const Request& request) const {
  const std::string_view key = request.header(options_.header).value_or("");
  if (!key.empty()) {
    if (auto known = options_.check ? options_.check(key) : keys_.find(key)) {
      return std::move(*known);
    }
  }
  return fail(Error::unauthorized("Missing or invalid API key: send it in the header " +
                                  options_.header + "."));
}

void ApiKeyGuard::describe(Operation& operation) const {
  describe_scheme(operation, {.name = "api_key",
                              .kind = Security::Kind::api_key,
                              .in = Operation::In::header,
                              .field = options_.header});
}

Result<void> ScopeGuard::operator()(Extension<Identity> caller) const {
  if (std::ranges::find(caller->scopes, scope_) != caller->scopes.end()) {
    return {};
  }
  return fail(Error::forbidden("Missing required scope '" + scope_ + "'."));
}

void ScopeGuard::describe(Operation& operation) const {
  operation.add_problem(403, "Missing required scope '" + scope_ + "'.");
}

BasicGuard basic_auth(BasicAuth options) {
  return BasicGuard(std::move(options));
}
BearerGuard bearer_auth(BearerAuth options) {
  return BearerGuard(std::move(options));
}
ApiKeyGuard api_key_auth(ApiKeyAuth options) {
  return ApiKeyGuard(std::move(options));
}
ScopeGuard require_scope(std::string scope) {
  return ScopeGuard(std::move(scope));
}

}  // namespace eider
